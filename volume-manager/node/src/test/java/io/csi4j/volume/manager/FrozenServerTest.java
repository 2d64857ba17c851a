package io.csi4j.volume.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.real.SystemKernelMounts;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.JournalSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two plugins whose volumes are served by processes, as FUSE plugins do it: the servers of one are
 * frozen, those of the other are killed.
 */
@Tag("campaign")
@MountTest
@NeedsRoot("/dev/fuse")
class FrozenServerTest {

  private static final PluginId FROZEN = PluginId.of("frozen.csi4j.example");
  private static final PluginId MORTAL = PluginId.of("mortal.csi4j.example");
  private static final PluginId REPORTED = PluginId.of("reported.csi4j.example");

  private final List<VolumeEvent> events = new CopyOnWriteArrayList<>();

  /** A process that serves one mount. */
  private static final class Server {

    private final Process process;

    Server(MountPath target) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx64m",
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  FuseServer.class.getName(),
                  target.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      BufferedReader said = process.inputReader();
      assertThat(said.readLine()).isEqualTo("serving " + target);
    }

    void freeze() throws IOException, InterruptedException {
      Process stop =
          new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).inheritIO().start();
      assertThat(stop.waitFor()).isZero();
    }

    void kill() {
      process.destroyForcibly().onExit().join();
    }
  }

  /** The volumes of one plugin: each is published by a server of its own. */
  private static final class ServedVolumes implements NodeEffects, AutoCloseable {

    private final SystemKernelMounts mounts = SystemKernelMounts.system();
    private final Map<VolumeId, Server> servers = new ConcurrentHashMap<>();

    @Override
    public void stage(VolumeId volume, PluginPath staging) {}

    @Override
    public void unstage(VolumeId volume, PluginPath staging) {}

    @Override
    public void publish(Publication publication) throws IOException {
      MountPath target = MountPath.of(publication.target().value());
      if (mounts.at(target).isEmpty()) {
        Files.createDirectories(target.toPath());
        servers.put(publication.volume(), new Server(target));
      }
    }

    @Override
    public void unpublish(VolumeId volume, PluginPath path) throws IOException {
      MountPath target = MountPath.of(path.value());
      if (!mounts.at(target).isEmpty()) {
        mounts.unmount(target);
        server(volume).kill();
      }
      Files.deleteIfExists(target.toPath());
    }

    Server server(VolumeId volume) {
      return servers.get(volume);
    }

    @Override
    public void close() {
      servers.values().forEach(Server::kill);
    }
  }

  private static FakeCsiPlugin plugin(PluginId id, NodeEffects effects) {
    FakeCsiPlugin plugin =
        FakeCsiPlugin.builder()
            .shape(
                PluginShape.nodeOnly()
                    .without(NodeCapability.STAGE_UNSTAGE_VOLUME)
                    .named(PluginName.of(id.value())))
            .effects(effects)
            .open();
    for (int i = 1; i <= 2; i++) {
      plugin.addVolume(volume(i));
    }
    return plugin;
  }

  private static PluginBinding binding(PluginId id, FakeCsiPlugin plugin, OnDeadMount policy) {
    return PluginBinding.builder(id, plugin.nodeEndpoint())
        .policy(MountPolicy.builder().onDeadMount(policy).build())
        .build();
  }

  private static VolumeId volume(int number) {
    return VolumeId.of("vol-" + number);
  }

  private static VolumeUse use(PluginId plugin, int number) {
    return VolumeUse.of(VolumeKey.of(plugin + "-" + number), WorkloadId.of("web"));
  }

  private static MountRequest request(PluginId plugin, int number) {
    return MountRequest.builder(
            plugin, use(plugin, number), volume(number), AccessMode.SINGLE_NODE_WRITER)
        .build();
  }

  private boolean isNoticed(OperatorCode code, PluginId plugin, int number) {
    return events.stream()
        .filter(VolumeEvent.Noticed.class::isInstance)
        .map(event -> ((VolumeEvent.Noticed) event).message())
        .anyMatch(
            message ->
                message.code() == code
                    && message.line().contains(use(plugin, number).volume().toString()));
  }

  @Test
  @Tag("H6")
  void frozenServersOfOnePluginHideNoDeadMountOfAnother(Scratch scratch) throws Exception {
    MountPath root = scratch.directory("root");
    try (ServedVolumes frozen = new ServedVolumes();
        ServedVolumes mortal = new ServedVolumes();
        ServedVolumes reported = new ServedVolumes();
        FakeCsiPlugin first = plugin(FROZEN, frozen);
        FakeCsiPlugin second = plugin(MORTAL, mortal);
        FakeCsiPlugin third = plugin(REPORTED, reported);
        VolumeManager manager =
            VolumeManager.builder(root.toPath())
                .journal(JournalSettings.builder().acceptAnyFilesystem(true).build())
                .plugin(binding(FROZEN, first, OnDeadMount.REPUBLISH))
                .plugin(binding(MORTAL, second, OnDeadMount.REPUBLISH))
                .plugin(binding(REPORTED, third, OnDeadMount.REPORT))
                .listener(events::add)
                .open()) {
      List<MountRequest> all =
          Stream.of(FROZEN, MORTAL)
              .flatMap(plugin -> Stream.of(request(plugin, 1), request(plugin, 2)))
              .toList();
      all.forEach(manager::mount);
      manager.mount(request(REPORTED, 1));
      frozen.server(volume(1)).freeze();
      frozen.server(volume(2)).freeze();

      // A mount that hangs counts as mounted; its questions stay without an answer from now on.
      assertThat(manager.mount(request(FROZEN, 1)).path()).isAbsolute();
      assertThat(manager.mount(request(FROZEN, 2)).path()).isAbsolute();
      mortal.server(volume(1)).kill();
      mortal.server(volume(2)).kill();
      reported.server(volume(1)).kill();

      assertThat(manager.mount(request(MORTAL, 1)).path().resolve("file"))
          .as("H6: no dead path is handed out beside a hung mount")
          .exists();
      assertThat(failure(manager, request(REPORTED, 1)))
          .extracting(VolumeException::code, VolumeException::outcome)
          .containsExactly(OperatorCode.MOUNT_DEAD, VolumeException.Outcome.HELD);
      assertThat(manager.hasMount(use(REPORTED, 1))).isFalse();
      manager.keepOnly(
          Stream.concat(all.stream(), Stream.of(request(REPORTED, 1)))
              .map(WantedUse.Requested::new)
              .toList());
      Eventually.isTrue("it is found dead", () -> isNoticed(OperatorCode.MOUNT_DEAD, MORTAL, 2));
      Eventually.isTrue(
          "it is mounted again", () -> isNoticed(OperatorCode.MOUNT_RESTORED, MORTAL, 2));
      assertThat(manager.mount(request(MORTAL, 2)).path().resolve("file")).exists();
      for (int number = 1; number <= 2; number++) {
        int hung = number;
        Eventually.isTrue(
            "H6: a hung mount is reported",
            () -> isNoticed(OperatorCode.MOUNT_UNRESPONSIVE, FROZEN, hung));
      }

      // What was frozen and is killed is found without anybody asking again.
      frozen.server(volume(1)).kill();
      Eventually.isTrue("it is found dead", () -> isNoticed(OperatorCode.MOUNT_DEAD, FROZEN, 1));
      Eventually.isTrue(
          "it is mounted again", () -> isNoticed(OperatorCode.MOUNT_RESTORED, FROZEN, 1));
      frozen.server(volume(2)).kill();
      for (MountRequest each : all) {
        assertThat(manager.unmount(each.usage())).isEqualTo(UnmountOutcome.LAST);
      }
      assertThat(manager.unmount(use(REPORTED, 1))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static VolumeException failure(VolumeManager manager, MountRequest request) {
    try {
      throw new AssertionError("It was mounted at " + manager.mount(request).path());
    } catch (VolumeException failure) {
      return failure;
    }
  }
}
