package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.hostpath.HostPathPlugin;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.workload.TaskMounts.BindMount;
import io.csi4j.volume.workload.WorkloadVolumes.TaskVolumes;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From a request to what a task really sees, with a runtime that is three lines long. */
@MountTest
class HandedToARuntimeTest {

  private static final PluginId PLUGIN = PluginId.of("hostpath");
  private static final WorkloadId WORKLOAD = WorkloadId.of("web-1");

  /** Makes what it is handed visible below the root of a task. */
  private static void run(MountPath root, TaskMounts mounts) throws Exception {
    for (BindMount bind : mounts.binds()) {
      Files.createDirectories(bind.below(root).target().toPath());
      assertThat(Mounts.system().bind(bind.below(root)).created()).isTrue();
    }
  }

  private static TaskRuntime task(String name) {
    return TaskRuntime.of(TaskName.of(name), "three lines");
  }

  private static VolumeMount data(String propagation) {
    return VolumeMount.builder("data").destination("/data").propagation(propagation).build();
  }

  private static ResolvedVolume known(Volume made) {
    return Wishes.csi(Wishes.volume("db", PLUGIN, made.id().value()).context(made.context()));
  }

  private static WorkloadVolumes wanted(ResolvedVolume volume) {
    return WorkloadVolumes.builder(WORKLOAD, (request, source) -> Optional.of(volume))
        .volume(
            VolumeRequest.builder("data", VolumeRequest.Type.CSI, "db")
                .accessMode(AccessMode.MULTI_NODE_MULTI_WRITER)
                .attachment(AttachmentMode.FILESYSTEM)
                .build())
        .task(
            task("reader"),
            VolumeMount.builder("data").destination("/data").readOnly(true).build(),
            VolumeMount.builder("data").destination("/data/inside").build())
        .task(task("alone"), data("private"))
        .task(task("listener"), data("host-to-task"))
        .task(task("mounter"), data("bidirectional"))
        .build();
  }

  private static VolumeRequest.Builder of(String alias) {
    return VolumeRequest.builder(alias, VolumeRequest.Type.CSI, "db")
        .accessMode(AccessMode.MULTI_NODE_MULTI_WRITER)
        .attachment(AttachmentMode.FILESYSTEM);
  }

  @Test
  void oneVolumeIsWrittenByOneTaskAndOnlyReadByAnother(Scratch scratch) throws Exception {
    try (HostPathPlugin plugin = HostPathPlugin.builder(scratch.file("plugin")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint());
        VolumeManager manager =
            VolumeManager.builder(scratch.file("root"))
                .plugin(PluginBinding.of(PLUGIN, plugin.nodeEndpoint()))
                .open()) {
      Volume made =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(
                          "v1", List.of(VolumeCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER)))
                      .build());
      ResolvedVolume volume = known(made);
      WorkloadVolumes wanted =
          WorkloadVolumes.builder(WORKLOAD, (request, source) -> Optional.of(volume))
              .volume(of("archive").readOnly(true).build())
              .volume(of("data").build())
              .task(task("writer"), data("private"))
              .task(task("reader"), VolumeMount.builder("archive").destination("/archive").build())
              .build();

      List<MountedVolume> mounted = wanted.mountAll(manager);
      assertThat(mounted).hasSize(1);
      for (TaskVolumes task : wanted.tasks()) {
        run(
            scratch.directory("tasks/" + task.task()),
            wanted.mountsFor(task.task(), mounted, PropagationPermission.nobody()));
      }

      Files.writeString(scratch.file("tasks/writer/data/hello"), "there");
      Path reader = scratch.file("tasks/reader/archive");
      assertThat(reader.resolve("hello")).hasContent("there");
      assertThatExceptionOfType(FileSystemException.class)
          .isThrownBy(() -> Files.writeString(reader.resolve("hello"), "refused"))
          .withMessageContaining("Read-only file system");
      for (String each : List.of("writer/data", "reader/archive")) {
        Mounts.system().unmount(scratch.path("tasks/" + each), UnmountPolicy.PLAIN);
      }
      assertThat(manager.unmount(mounted.get(0).usage())).isEqualTo(UnmountOutcome.LAST);
      plugin.assertLawful();
    }
  }

  @Test
  @Tag("S-49")
  void aTaskSeesItsVolumesAsItAskedForThem(Scratch scratch) throws Exception {
    try (HostPathPlugin plugin = HostPathPlugin.builder(scratch.file("plugin")).open();
        CsiPlugin client = CsiPlugin.connect(plugin.endpoint());
        VolumeManager manager =
            VolumeManager.builder(scratch.file("root"))
                .plugin(PluginBinding.of(PLUGIN, plugin.nodeEndpoint()))
                .open()) {
      Volume made =
          client
              .controller()
              .createVolume(
                  CreateVolumeRequest.builder(
                          "v1", List.of(VolumeCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER)))
                      .build());
      WorkloadVolumes wanted = wanted(known(made));
      PropagationPermission all = wish -> true;
      assertThat(Preflight.of(manager).permitting(all).check(wanted).text())
          .startsWith("CSI-538 DESTINATION_IN_READ_ONLY: checking task 'reader'")
          .hasLineCount(1);
      List<MountedVolume> mounted = wanted.mountRequests().stream().map(manager::mount).toList();
      Path volume = mounted.get(0).path();
      Files.writeString(volume.resolve("hello"), "there");
      Files.createDirectory(volume.resolve("inside"));
      Files.createDirectory(volume.resolve("of-the-host"));
      Files.createDirectory(volume.resolve("of-the-task"));

      for (TaskVolumes task : wanted.tasks()) {
        MountPath root = scratch.directory("tasks/" + task.task());
        TaskMounts mounts = wanted.mountsFor(task.task(), mounted, all);
        mounts.share(manager.root(), Mounts.system());
        run(root, mounts);
        assertThat(root.resolve("data/hello").toPath()).hasContent("there");
      }
      Path reader = scratch.file("tasks/reader/data");
      assertThatExceptionOfType(FileSystemException.class)
          .isThrownBy(() -> Files.writeString(reader.resolve("more"), "refused"))
          .withMessageContaining("Read-only file system");
      Files.writeString(reader.resolve("inside/more"), "allowed");
      assertThat(volume.resolve("more")).hasContent("allowed");

      scratch.rawMount("tmpfs", volume.resolve("of-the-host"), "tmpfs", 0, null);
      Files.writeString(volume.resolve("of-the-host/new"), "from the host");
      assertThat(scratch.file("tasks/listener/data/of-the-host/new")).hasContent("from the host");
      assertThat(scratch.file("tasks/mounter/data/of-the-host/new")).hasContent("from the host");
      assertThat(scratch.file("tasks/alone/data/of-the-host")).isEmptyDirectory();

      Path inListener = scratch.file("tasks/listener/data/of-the-task");
      scratch.rawMount("tmpfs", inListener, "tmpfs", 0, null);
      Files.writeString(inListener.resolve("mine"), "of the listener");
      assertThat(volume.resolve("of-the-task")).isEmptyDirectory();
      scratch.rawMount("tmpfs", scratch.file("tasks/mounter/data/of-the-task"), "tmpfs", 0, null);
      Files.writeString(scratch.file("tasks/mounter/data/of-the-task/mine"), "of the mounter");
      assertThat(volume.resolve("of-the-task/mine")).hasContent("of the mounter");

      assertThat(wanted.mountAll(manager)).as("it is the mount that was made").isEqualTo(mounted);
      assertThat(manager.recovered().findings()).isEmpty();
      plugin.assertLawful();
    }
  }

  @Test
  void whatIsHeldIsHandedOverWhateverBecomesOfThePath(Scratch scratch) throws Exception {
    MountPath root = scratch.directory("root");
    MountPath volume = scratch.tmpfs("root/v/volume");
    MountPath host = scratch.directory("host");
    Files.writeString(volume.toPath().resolve("hello"), "the volume's");
    scratch.file("evil/volume/hello", "of another");
    TaskMounts mounts =
        TaskMounts.none()
            .with(BindMount.of(volume, MountPath.of("/data")))
            .with(BindMount.of(host, MountPath.of("/logs")));
    MountPath task = scratch.directory("task");
    scratch.directory("task/data");
    scratch.directory("task/logs");

    try (TaskMounts.Held held = mounts.hold(root, Mounts.system())) {
      Files.move(scratch.file("root/v"), scratch.file("root/aside"));
      Files.createSymbolicLink(scratch.file("root/v"), scratch.file("evil"));

      assertThat(held.held()).singleElement().extracting(OpenPath::path).isEqualTo(volume);
      assertThat(held.mounts().binds())
          .extracting(BindMount::source)
          .containsExactly(held.held().get(0).throughProc(), host);
      held.below(task).forEach(bind -> assertThat(Mounts.system().bind(bind).created()).isTrue());
      assertThat(scratch.file("task/data/hello")).hasContent("the volume's");
      assertThatExceptionOfType(VolumeException.class)
          .isThrownBy(() -> mounts.hold(root, Mounts.system()).close())
          .returns(VolumeException.Outcome.REFUSED, VolumeException::outcome)
          .returns(OperatorCode.SYMLINK_IN_PATH, VolumeException::code);
    }
  }

  @Test
  void aVolumeThatIsNotMountedAnyMoreIsNotHandedOver(Scratch scratch) {
    MountPath root = scratch.directory("root");
    MountPath there = scratch.tmpfs("root/there");
    MountPath gone = scratch.directory("root/without");
    TaskMounts mounts =
        TaskMounts.none()
            .with(BindMount.of(there, MountPath.of("/a")))
            .with(BindMount.of(gone, MountPath.of("/b")));

    assertThatExceptionOfType(VolumeException.class)
        .isThrownBy(() -> mounts.hold(root, Mounts.system()).close())
        .returns(OperatorCode.MOUNT_MISSING, VolumeException::code)
        .withCauseInstanceOf(MountException.class);
    // Nothing was left open, so that the first one is free.
    Mounts.system().unmount(there, new UnmountPolicy(Duration.ZERO, false, false));
  }
}
