package stranger;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.mount.MemoryKernel;
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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Mounts a volume of the fake plugin for a workload. The workload writes to the volume and releases
 * it.
 */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    MemoryKernel kernel = new MemoryKernel();
    try (FakeCsiPlugin fake =
            FakeCsiPlugin.builder()
                .shape(PluginShape.noAttach())
                .effects(NodeEffects.filesMountedIn(kernel.host()))
                .open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      Volume created =
          plugin
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(
                          "data",
                          List.of(
                              VolumeCapability.mount(AccessMode.SINGLE_NODE_SINGLE_WRITER)))
                      .build());
      volumes(
          kernel,
          Path.of(args[0]),
          PluginId.of("fake.csi4j.example"),
          fake.endpoint(),
          List.of(),
          created,
          Main::work,
          System.out::println);
      fake.assertLawful();
      System.out.println("in use after all: " + !fake.contents().idle());
      System.out.println(
          Main.class.getModule().getName() + ", " + VolumeManager.class.getModule().getName());
    }
  }

  private static void volumes(
      MemoryKernel kernel,
      Path directory,
      PluginId plugin,
      CsiEndpoint endpoint,
      List<WantedUse> live,
      Volume created,
      Consumer<Path> workload,
      Consumer<String> log) {
    VolumeUse usage = VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1"));
    try (VolumeManager manager =
        VolumeManager.builder(directory).mounts(kernel.table(), kernel.mounts()).open()) {
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
  }

  private static void work(Path volume) {
    Path file = volume.resolve("hello.txt");
    try {
      Files.writeString(file, "hello from web-1");
      System.out.println(Files.readString(file));
      Files.delete(file);
    } catch (IOException refused) {
      throw new UncheckedIOException(refused);
    }
  }
}
