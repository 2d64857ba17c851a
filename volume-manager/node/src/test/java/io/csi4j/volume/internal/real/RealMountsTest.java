package io.csi4j.volume.internal.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.LoopDevice;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.Open;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.state.HostIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is seen of the running kernel. */
@MountTest
class RealMountsTest {

  private static final PluginId PLUGIN = PluginId.of("fuse");
  private static final long READ_ONLY = 1;
  private static final long REMOUNT = 32;
  private static final long BIND = 4096;

  private final SystemKernelMounts mounts = SystemKernelMounts.system();

  private static List<String> roots(List<Sighting> seen) {
    return seen.stream().map(each -> each.evidence().root()).toList();
  }

  @Test
  void thePlaceNamesTheBootAndThisNamespace(Scratch scratch) throws Exception {
    scratch.tmpfs("a");
    Place place = mounts.place();

    assertThat(place.boot()).isEqualTo(HostIdentity.current().boot().value()).isNotEmpty();
    assertThat(place.mountNamespace())
        .isEqualTo(SystemKernelMounts.system().place().mountNamespace())
        .isNotZero()
        .isNotEqualTo(Files.getAttribute(Path.of("/proc/self/ns/mnt"), "unix:ino"));
    assertThat(MountTable.system().find(scratch.path("a")).orElseThrow().ref().bootId())
        .isEqualTo(place.boot());
  }

  @Test
  @Tag("H9")
  @Tag("H10")
  void bindsOfOneFilesystemAtStrangePathsAreSeen(Scratch scratch) {
    MountPath source = scratch.directory("source");
    MountPath strange = scratch.directory("a b\t\\ é");
    assertThat(mounts.at(strange)).isEmpty();
    assertThat(mounts.at(scratch.path("missing"))).isEmpty();
    scratch.bind(source, strange);

    assertThat(mounts.at(strange)).hasSize(1);
    assertThat(roots(mounts.at(strange)))
        .as("H9: a bind on its own filesystem is seen as a mount")
        .containsExactly("/source");
    assertThat(mounts.beneath(scratch.root()))
        .as("H10: a strange path is read as it is")
        .isEqualTo(mounts.at(strange));
    mounts.unmount(strange);
    assertThat(mounts.at(strange)).isEmpty();
  }

  @Test
  void aFilesystemThatTakesNoWritesIsReadOnlyThroughEveryMount(Scratch scratch) {
    MountPath target = scratch.directory("target");
    scratch.rawMount("tmpfs", target.toPath(), "tmpfs", READ_ONLY, null);
    // The mount takes writes again, the filesystem behind it does not.
    scratch.rawMount("none", target.toPath(), "none", REMOUNT | BIND, null);

    assertThat(MountTable.system().find(target).orElseThrow().isReadOnly()).isFalse();
    assertThat(mounts.at(target))
        .extracting(each -> each.evidence().readOnly())
        .containsExactly(true);
  }

  @Test
  void layersAreSeenFromTheBottomUp(Scratch scratch) {
    MountPath target = scratch.directory("target");
    for (String each : List.of("one", "two", "three")) {
      scratch.bind(scratch.directory(each), target);
    }

    assertThat(roots(mounts.at(target))).containsExactly("/one", "/two", "/three");
    assertThat(mounts.beneath(scratch.root())).isEqualTo(mounts.at(target));
    mounts.unmount(target);
    assertThat(mounts.at(target)).isEmpty();
  }

  @Test
  @Tag("H16")
  void aDeletedSourceIsToldOfAndTheEvidenceStays(Scratch scratch) throws Exception {
    scratch.bind(scratch.directory("source"), scratch.directory("target"));
    Sighting before = mounts.at(scratch.path("target")).get(0);
    Files.delete(scratch.file("source"));

    Sighting after = mounts.at(scratch.path("target")).get(0);
    assertThat(before.broken()).isFalse();
    assertThat(after.broken()).as("H16: the kernel's word for it is seen").isTrue();
    assertThat(after.evidence()).isEqualTo(before.evidence());
  }

  @Test
  void aRootThatIsItselfABindIsNotAMountOfAVolume(Scratch scratch) {
    scratch.directory("real/v/a");
    scratch.directory("bound");
    scratch.bind(scratch.path("real"), scratch.path("bound"));
    scratch.bind(scratch.directory("volume"), scratch.path("bound/v/a"));

    assertThat(mounts.beneath(scratch.path("bound")))
        .extracting(Sighting::path)
        .containsExactly(scratch.path("bound/v/a"));
    assertThat(mounts.at(scratch.path("real/v/a"))).isEmpty();
  }

  @Test
  void whatIsInUseIsTakenOutOfSightAndItsUserIsNamed(Scratch scratch) throws Exception {
    MountPath target = scratch.tmpfs("target");
    Files.writeString(scratch.file("target/f"), "kept");
    try (Open open = Open.reading(scratch.path("target/f"))) {
      assertThat(open.number()).isPositive();
      assertThat(mounts.holders(target).orElseThrow())
          .contains("process " + ProcessHandle.current().pid());
      mounts.unmount(target);
    }

    assertThat(mounts.at(target)).isEmpty();
  }

  @Test
  void onlyANodeOfABlockDeviceIsADevice(Scratch scratch) {
    assertThat(mounts.device(scratch.directory("directory"))).isEmpty();
    assertThat(mounts.device(scratch.file("file", ""))).isEmpty();
    assertThat(mounts.device(scratch.path("missing"))).isEmpty();
    assertThat(mounts.device(MountPath.of("/dev/null"))).isEmpty();
  }

  @Test
  @NeedsRoot("binding what others have mounted")
  void whatIsSeenAtADirectoryIsWhatABindOfItShows(Scratch scratch) throws Exception {
    MountPath target = scratch.directory("target");
    for (MountPath each :
        List.of(
            MountPath.of("/etc"),
            MountPath.of("/proc"),
            MountPath.of("/dev"),
            scratch.directory("a/b"),
            scratch.root())) {
      scratch.bind(each, target);
      Sighting mount = mounts.at(target).get(0);

      assertThat(mounts.shown(each)).as("%s", each).isPresent();
      assertThat(mounts.shown(each).orElseThrow().isShownBy(mount)).as("%s", each).isTrue();
      assertThat(mounts.shown(MountPath.of("/sys")).orElseThrow().holdsWhatIsShownBy(mount))
          .as("%s", each)
          .isFalse();
      mounts.unmount(target);
    }
    scratch.bind(scratch.directory("a/b"), target);
    assertThat(
            mounts
                .shown(scratch.directory("a"))
                .orElseThrow()
                .holdsWhatIsShownBy(mounts.at(target).get(0)))
        .isTrue();
    Process remount =
        new ProcessBuilder("mount", "-o", "remount,bind,nosuid,noexec", target.toString())
            .inheritIO()
            .start();
    assertThat(remount.waitFor()).isZero();
    assertThat(mounts.at(target).get(0).limits()).contains("nosuid", "noexec");
  }

  @Test
  @NeedsRoot("making device nodes")
  void aBindOfADeviceNodeIsTheDeviceThatItStandsFor(Scratch scratch) throws Exception {
    MountPath target = scratch.file("target", "");
    for (String number : List.of("7 99", "300 1000")) {
      String[] parts = number.split(" ", -1);
      String node = scratch.file("node-" + parts[0]).toString();
      Process mknod =
          new ProcessBuilder("mknod", node, "b", parts[0], parts[1]).inheritIO().start();
      assertThat(mknod.waitFor()).isZero();
      scratch.bind(MountPath.of(node), target);

      assertThat(mounts.device(target)).contains(parts[0] + ":" + parts[1]);
      mounts.unmount(target);
      assertThat(mounts.device(target)).isEmpty();
    }
  }

  private List<String> elsewhere(Scratch scratch) {
    MountPath own = scratch.path("own");
    return mounts.elsewhere(own.resolve("v/staging"), own).stream()
        .map(each -> each.path().toString().substring(scratch.root().toString().length() + 1))
        .toList();
  }

  @Test
  @NeedsRoot("a loop device")
  void whatOthersHaveMountedOfADeviceSinceIsSeen(Scratch scratch) {
    try (LoopDevice disk = LoopDevice.ext4(scratch)) {
      MountPath older = disk.mount(scratch.directory("plugin/vol-1"));
      MountPath staging = scratch.directory("own/v/staging");
      scratch.bind(older, staging);
      scratch.bind(staging, scratch.directory("own/v/target"));
      assertThat(mounts.elsewhere(scratch.path("nothing"), scratch.path("own"))).isEmpty();
      assertThat(elsewhere(scratch)).as("the plugin's own, and ours").isEmpty();

      scratch.bind(staging, scratch.directory("whole"));
      scratch.bind(scratch.directory("own/v/staging/part"), scratch.directory("part"));
      disk.mount(scratch.directory("again"));
      assertThat(elsewhere(scratch)).containsExactly("whole", "part", "again");
      mounts.unmount(scratch.path("whole"));
      mounts.unmount(scratch.path("again"));
      assertThat(elsewhere(scratch)).containsExactly("part");
      assertThat(mounts.elsewhere(staging, scratch.path("own")))
          .extracting(each -> each.evidence().source())
          .containsExactly(disk.path());

      for (String each : List.of("part", "own/v/target", "own/v/staging", "plugin/vol-1")) {
        mounts.unmount(scratch.path(each));
      }
    }
  }

  @Test
  @NeedsRoot("a loop device")
  void aCopyOfOurMountsIsNoMountOfOthers(Scratch scratch) {
    try (LoopDevice disk = LoopDevice.ext4(scratch)) {
      MountPath staging = disk.mount(scratch.directory("own/v/staging"));
      scratch.bindTree(scratch.path("own"), scratch.directory("seen"));
      assertThat(mounts.at(scratch.path("seen/v/staging"))).hasSize(1);

      assertThat(elsewhere(scratch)).isEmpty();
      scratch.bind(staging, scratch.directory("beside"));
      assertThat(elsewhere(scratch)).containsExactly("beside");

      for (String each : List.of("beside", "seen/v/staging", "seen", "own/v/staging")) {
        mounts.unmount(scratch.path(each));
      }
    }
  }

  @Test
  void aFilesystemWithoutADeviceAndADirectoryOfOneAreNoOnesAlone(Scratch scratch) {
    MountPath staging = scratch.tmpfs("own/v/staging");
    scratch.bind(staging, scratch.directory("other"));
    assertThat(elsewhere(scratch)).isEmpty();

    MountPath directory = MountPath.of("/etc");
    mounts.unmount(staging);
    scratch.bind(directory, staging);
    scratch.bind(directory, scratch.directory("third"));
    assertThat(elsewhere(scratch)).isEmpty();
  }

  @Test
  @Tag("H6")
  @Tag("H7")
  @NeedsRoot("/dev/fuse")
  void noLookWaitsForAHungMount(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      MountPath path = server.target();

      assertThat(soon(() -> mounts.at(path))).as("H6: no look waits for it").hasSize(1);
      assertThat(soon(() -> mounts.beneath(scratch.root()))).hasSize(1);
      assertThat(soon(() -> mounts.device(path))).isEmpty();
      assertThat(soon(() -> mounts.holders(path))).isEmpty();
      soon(
          () -> {
            mounts.unmount(path);
            return true;
          });
      assertThat(soon(() -> mounts.at(path))).as("H7: it can be detached within limits").isEmpty();
      assertThat(server.unanswered()).as("questions to the server").isZero();
    }
  }

  private static <T> T soon(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "must-return");
    thread.setDaemon(true);
    thread.start();
    return task.get(20, TimeUnit.SECONDS);
  }

  @Tag("campaign")
  @Test
  @NeedsRoot("/dev/fuse")
  void whoServesAMountIsAskedAsideAndNobodyWaitsForTheAnswer(Scratch scratch) throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-asking", Duration.ofSeconds(5));
        MountQuestions questions = new MountQuestions(MountTable.system()::probe, scheduler);
        FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      SystemKernelMounts asking = mounts.asking(questions);

      assertThat(answer(asking, server.target())).isEqualTo(Sighting.Health.WELL);
      server.hang();
      List<Sighting.Health> told = new CopyOnWriteArrayList<>();
      asking.ask(PLUGIN, server.target(), told::add);
      Eventually.isTrue("it is silent", () -> told.equals(List.of(Sighting.Health.SILENT)));
      server.recover();
      Eventually.isTrue("it is well", () -> told.contains(Sighting.Health.WELL));
      server.die();
      assertThat(answer(asking, server.target())).isEqualTo(Sighting.Health.DEAD);
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aMountWhoseServerWasFoundToHaveEndedIsDeadUntilAnotherIsThere(Scratch scratch)
      throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-asking", Duration.ofSeconds(5));
        MountQuestions questions = new MountQuestions(MountTable.system()::probe, scheduler)) {
      SystemKernelMounts asking = mounts.asking(questions);
      MountPath path = scratch.directory("v");
      FuseServer first = FuseServer.mount(path);
      first.die();

      assertThat(asking.mustAsk(path)).isTrue();
      assertThat(answer(asking, path)).isEqualTo(Sighting.Health.DEAD);
      assertThat(asking.at(path)).extracting(Sighting::health).containsOnly(Sighting.Health.DEAD);
      first.close();
      try (FuseServer second = FuseServer.mount(path)) {
        assertThat(asking.at(second.target()))
            .extracting(Sighting::health)
            .containsOnly(Sighting.Health.WELL);
      }
      assertThat(asking.mustAsk(scratch.tmpfs("other"))).isFalse();
    }
  }

  @Test
  @Tag("H6")
  @NeedsRoot("/dev/fuse")
  void theDeathOfAServerIsSeenWhileThoseOfAnotherPluginHang(Scratch scratch) throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-asking", Duration.ofSeconds(5));
        MountQuestions questions = new MountQuestions(MountTable.system()::probe, scheduler);
        FuseServer first = FuseServer.mount(scratch.directory("e-1"));
        FuseServer second = FuseServer.mount(scratch.directory("e-2"));
        FuseServer other = FuseServer.mount(scratch.directory("f"))) {
      SystemKernelMounts asking = mounts.asking(questions);
      for (FuseServer each : List.of(first, second)) {
        each.hang();
        asking.ask(PluginId.of("e"), each.target(), health -> {});
        each.awaitUnanswered(1);
      }
      other.die();

      assertThat(answer(asking, other.target()))
          .as("H6: a hung mount hides no dead one")
          .isEqualTo(Sighting.Health.DEAD);
      assertThat(asking.at(other.target()))
          .extracting(Sighting::health)
          .containsExactly(Sighting.Health.DEAD);
    }
  }

  @Test
  void whatOthersMountAndUnmountIsToldByTheRunningKernel(Scratch scratch) {
    List<String> told = new CopyOnWriteArrayList<>();
    Runnable end =
        mounts.watch(
            new KernelMounts.Changes() {
              @Override
              public void came(MountPath path) {
                told.add("came " + path);
              }

              @Override
              public void went(MountPath path) {
                told.add("went " + path);
              }

              @Override
              public void missed() {
                told.add("missed");
              }
            });
    try {
      MountPath path = scratch.tmpfs("v");
      Eventually.isTrue("it came", () -> told.contains("came " + path));
      mounts.unmount(path);
      Eventually.isTrue("it went", () -> told.contains("went " + path));
    } finally {
      end.run();
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void onlyADeadMountIsTakenAwayAsOne(Scratch scratch) throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-asking", Duration.ofSeconds(5));
        MountQuestions questions = new MountQuestions(MountTable.system()::probe, scheduler);
        FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      SystemKernelMounts asking = mounts.asking(questions);
      MountPath path = server.target();
      assertThat(answer(asking, path)).isEqualTo(Sighting.Health.WELL);
      asking.unmountDead(path, DeadUnmount.LAZY);
      assertThat(asking.at(path)).hasSize(1);

      server.die();
      assertThat(answer(asking, path)).isEqualTo(Sighting.Health.DEAD);
      asking.unmountDead(path, DeadUnmount.NEVER);
      assertThat(asking.at(path)).hasSize(1);
      asking.unmountDead(path, DeadUnmount.PLAIN);
      assertThat(asking.at(path)).isEmpty();
    }
  }

  private static Sighting.Health answer(SystemKernelMounts asking, MountPath path)
      throws Exception {
    CompletableFuture<Sighting.Health> told = new CompletableFuture<>();
    asking.ask(PLUGIN, path, told::complete);
    return told.get(60, TimeUnit.SECONDS);
  }
}
