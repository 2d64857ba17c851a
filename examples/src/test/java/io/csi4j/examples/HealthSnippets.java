package io.csi4j.examples;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The code blocks of docs/health.md, each between a mark with its name and one at its end. */
final class HealthSnippets {

  private HealthSnippets() {}

  static PluginBinding binding(PluginId id, CsiEndpoint endpoint) {
    return PluginBinding.builder(id, endpoint)
        .policy(
            MountPolicy.builder()
                .healthInterval(Duration.ofMinutes(1)) // the default; zero: no rounds
                .refuseUnreachableStorage(true) // no new mounts while it cannot be reached
                .build())
        .build();
  }

  static VolumeEvent.Listener listener(Consumer<String> pager) {
    // snippet: listener
    return event -> {
      if (event instanceof VolumeEvent.VolumeHealthChanged changed) {
        pager.accept(changed.message().line()); // VOLUME_ABNORMAL, later VOLUME_WELL_AGAIN
      } else if (event instanceof VolumeEvent.StorageHealthChanged changed) {
        pager.accept(changed.message().line()); // STORAGE_UNREACHABLE, STORAGE_DEGRADED, ...
      }
    };
    // end
  }

  static void questions(
      VolumeManager manager, VolumeUse use, PluginId plugin, Consumer<String> page) {
    // snippet: questions
    manager
        .status(use.volume())
        .forEach(status -> status.health().worst().ifPresent(fault -> page.accept(fault.text())));
    List<StorageFinding> storage = manager.storageHealth(plugin);
    VolumeHealth now = manager.health(use); // asks the plugin now
    page.accept(storage.size() + " faults of the storage, well: " + now.isWell());
    // end
  }
}
