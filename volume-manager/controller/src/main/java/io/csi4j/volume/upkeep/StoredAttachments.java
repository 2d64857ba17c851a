package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What a storage system tells of its volumes. Methods block, and throw {@link
 * io.csi4j.client.model.CsiException} for what the plugin does not answer; or {@link
 * io.csi4j.volume.controller.ControllerException}, where a controller was to ask it.
 */
public interface StoredAttachments {

  /** Returns what the plugin can tell. */
  Set<ControllerCapability> offered();

  /** All volumes, page by page; only with {@link ControllerCapability#LIST_VOLUMES}. */
  Iterable<VolumeEntry> list();

  /** One volume, if it is there; only with {@link ControllerCapability#GET_VOLUME}. */
  Optional<VolumeEntry> read(VolumeId volume);

  /**
   * What the controllers of a plugin tell, by way of the one who has its calls in order; of the
   * volumes that are on record there: {@link VolumeController#handles} names them.
   */
  static StoredAttachments of(VolumeController controller, PluginId plugin) {
    Objects.requireNonNull(controller, "controller");
    Objects.requireNonNull(plugin, "plugin");
    return new StoredAttachments() {

      /** May be old; each key is looked up before it is used. */
      private volatile Map<VolumeId, VolumeKey> keys = Map.of();

      @Override
      public Set<ControllerCapability> offered() {
        return controller.offered(plugin);
      }

      @Override
      public Iterable<VolumeEntry> list() {
        return controller.list(plugin);
      }

      @Override
      public Optional<VolumeEntry> read(VolumeId volume) {
        Optional<VolumeKey> key = key(volume);
        if (key.isEmpty()) {
          keys = controller.handles(plugin);
          key = key(volume);
        }
        try {
          return key.map(controller::inspect);
        } catch (ControllerException missing) {
          if (missing.status().filter(StatusCode.NOT_FOUND::equals).isPresent()) {
            return Optional.empty();
          }
          throw missing;
        }
      }

      private Optional<VolumeKey> key(VolumeId volume) {
        return Optional.ofNullable(keys.get(volume))
            .filter(
                key -> controller.find(key).filter(found -> found.id().equals(volume)).isPresent());
      }
    };
  }

  /** What this plugin tells, which is asked now what it can do. */
  static StoredAttachments of(ControllerService plugin) {
    Set<ControllerCapability> all = plugin.getCapabilities().offered();
    return new StoredAttachments() {
      @Override
      public Set<ControllerCapability> offered() {
        return all;
      }

      @Override
      public Iterable<VolumeEntry> list() {
        return plugin.volumes();
      }

      @Override
      public Optional<VolumeEntry> read(VolumeId volume) {
        try {
          return Optional.of(plugin.getVolume(ControllerGetVolumeRequest.builder(volume).build()));
        } catch (CsiException missing) {
          if (missing.code() == StatusCode.NOT_FOUND) {
            return Optional.empty();
          }
          throw missing;
        }
      }
    };
  }
}
