package io.csi4j.volume.host;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.nio.file.Path;

/** A program that mounts one volume, then another one between two named moments. */
final class OneMount {

  private static final PluginId PLUGIN = PluginId.of("fake.csi4j.example");

  private OneMount() {}

  /** Mounts in the directory that it is given. */
  public static void main(String[] words) {
    MemoryKernel kernel = new MemoryKernel();
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.nodeOnly())
                .effects(NodeEffects.filesMountedIn(kernel.host()))
                .open();
        VolumeManager manager =
            VolumeManager.builder(Path.of(words[0]).resolve("v"))
                .mounts(kernel.table(), kernel.mounts())
                .plugin(PluginBinding.of(PLUGIN, fake.nodeEndpoint()))
                .open()) {
      fake.addVolume(VolumeId.of("first"));
      fake.addVolume(VolumeId.of("second"));
      // What happens once for a plugin is over by then.
      mount(manager, "first");
      begin();
      mount(manager, "second");
      end();
    }
  }

  private static void mount(VolumeManager manager, String name) {
    VolumeUse use = VolumeUse.of(VolumeKey.of(name), WorkloadId.of(name));
    var unused =
        manager.mount(
            MountRequest.builder(PLUGIN, use, VolumeId.of(name), AccessMode.SINGLE_NODE_WRITER)
                .build());
  }

  /** The mount that is looked at begins. */
  static void begin() {}

  /** The mount that is looked at has ended. */
  static void end() {}
}
