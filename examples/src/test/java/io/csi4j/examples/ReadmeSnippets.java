package io.csi4j.examples;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.WantedUse;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The code blocks of the README, each between a mark with its name and one that ends it. */
final class ReadmeSnippets {

  private ReadmeSnippets() {}

  static void volumes(
      Path directory,
      PluginId plugin,
      CsiEndpoint endpoint,
      List<WantedUse> live,
      Volume created,
      Consumer<Path> workload,
      Consumer<String> log) {
    // snippet: volumes
    VolumeUse usage = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1"));
    try (VolumeManager manager = VolumeManager.open(directory)) { // finds again what is mounted
      manager.register(PluginBinding.of(plugin, endpoint));
      manager.reconcile(live); // once: all that is still wanted; the rest is given back
      MountedVolume mounted =
          manager.mount(
              MountRequest.builder(
                      plugin, usage, created.id(), AccessMode.SINGLE_NODE_SINGLE_WRITER)
                  .volumeContext(created.context())
                  .build());
      workload.accept(mounted.path());
      log.accept("given back: " + manager.unmount(usage)); // the two names are all it needs
    } catch (VolumeException failed) {
      log.accept(failed.outcome() + " " + failed.getMessage());
    }
    // end
  }

  static void fakePlugin(CreateVolumeRequest request, Consumer<String> log) {
    // snippet: fake plugin
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      fake.inject(
          Fault.applyThenFail(StatusCode.ABORTED, "busy"),
          When.calling(CsiOperation.CREATE_VOLUME).once());
      plugin.controller().createVolume(request); // fails once, is tried again, finds the volume
      log.accept(fake.journal().describe());
      fake.assertLawful();
    }
    // end
  }
}
