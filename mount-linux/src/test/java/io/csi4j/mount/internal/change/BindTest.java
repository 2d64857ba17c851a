package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsUserNamespace;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases B of the mount facts: bind mounts, on this kernel and on older ones. */
@MountTest
class BindTest {

  @ParameterizedTest
  @EnumSource
  void aDirectoryIsSeenAtASecondPlace(Rung rung, Scratch scratch) throws Exception {
    scratch.file("source/a", "content");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          MountResult result = mounts.bind(bind(scratch.path("source"), target).build());

          assertThat(result.created()).isTrue();
          assertThat(result.ref().path()).isEqualTo(target);
          assertThat(Files.readString(scratch.file("target/a"))).isEqualTo("content");
          assertThat(scratch.rows(target)).hasSize(1);
          Files.writeString(scratch.file("target/b"), "new");
          assertThat(Files.readString(scratch.file("source/b"))).isEqualTo("new");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aFileIsSeenAtASecondPlace(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.file("source", "content");
    MountPath target = scratch.file("target", "");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(source, target).build());

          assertThat(Files.readString(scratch.file("target"))).isEqualTo("content");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aDeviceFileIsSeenAtASecondPlace(Rung rung, Scratch scratch) throws Exception {
    MountPath target = scratch.path("zero");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(MountPath.of("/dev/zero"), target).createTarget(true).build());

          try (var in = Files.newInputStream(scratch.file("zero"))) {
            assertThat(in.read()).isZero();
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void aReadOnlyBindRefusesWritingKeepsItsFlagsAndLeavesItsSourceWritable(
      Rung rung, Scratch scratch) throws Exception {
    scratch.directory("source");
    scratch.rawMount(
        "tmpfs",
        scratch.file("source"),
        "tmpfs",
        Abi.MS_NOSUID | Abi.MS_NODEV | Abi.MS_NOEXEC,
        null);
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(scratch.path("source"), target).readOnly(true).build());

          assertThat(flags(scratch, target)).isEqualTo("ro,nosuid,nodev,noexec,relatime");
          assertReadOnly(scratch.file("target/a"));
          Files.writeString(scratch.file("source/a"), "still writable");
          assertThat(scratch.rows(scratch.path("source")).get(0)).contains(" - tmpfs tmpfs rw");
        });
  }

  @ParameterizedTest
  @EnumSource
  void theFlagsThatAreAskedForAreSet(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(
              bind(source, target)
                  .flag(MountFlag.NOSUID)
                  .flag(MountFlag.NODEV)
                  .flag(MountFlag.NOEXEC)
                  .flag(MountFlag.NOATIME)
                  .flag(MountFlag.NODIRATIME)
                  .flag(MountFlag.NOSYMFOLLOW)
                  .build());

          assertThat(flags(scratch, target))
              .isEqualTo("rw,nosuid,nodev,noexec,noatime,nodiratime,nosymfollow");
          assertThat(flags(scratch, scratch.root())).isEqualTo("rw,relatime");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aRecursiveReadOnlyBindIsReadOnlyAllTheWayDown(Rung rung, Scratch scratch) throws Exception {
    scratch.tmpfs("source");
    scratch.tmpfs("source/one");
    scratch.tmpfs("source/one/two");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(scratch.path("source"), target).recursive(true).readOnly(true).build());

          for (String below : List.of("target", "target/one", "target/one/two")) {
            assertThat(flags(scratch, scratch.path(below))).isEqualTo("ro,relatime");
            assertReadOnly(scratch.file(below + "/a"));
          }
          for (String below : List.of("source", "source/one", "source/one/two")) {
            Files.writeString(scratch.file(below + "/a"), "still writable");
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindThatIsNotRecursiveLeavesTheMountsBelowOut(Rung rung, Scratch scratch) throws Exception {
    scratch.tmpfs("source");
    scratch.tmpfs("source/one");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(scratch.path("source"), target).build());

          assertThat(scratch.rows(scratch.path("target/one"))).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aMountIsMadeReadOnlyWithTheMountsBelowIt(Rung rung, Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    MountPath below = scratch.tmpfs("volume/one");
    MountPath other = scratch.directory("other");
    scratch.bind(volume, other);
    rung.run(
        (mounts, kernel) -> {
          mounts.setReadOnly(volume, false);
          assertThat(flags(scratch, volume)).isEqualTo("ro,relatime");
          assertThat(flags(scratch, below)).isEqualTo("rw,relatime");

          mounts.setReadOnly(volume, true);
          assertThat(flags(scratch, below)).isEqualTo("ro,relatime");
          assertThat(flags(scratch, other)).isEqualTo("rw,relatime");
          assertThat(scratch.rows(volume).get(0)).contains(" - tmpfs tmpfs rw");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aMountWithAWriterDoesNotBecomeReadOnlyNorDoesAnyBelowIt(Rung rung, Scratch scratch)
      throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    MountPath busy = scratch.tmpfs("volume/busy");
    rung.run(
        (mounts, kernel) -> {
          try (OutputStream writer = Files.newOutputStream(scratch.file("volume/busy/a"))) {
            writer.write(1);
            MountException refused = Refusal.of(() -> mounts.setReadOnly(volume, true));

            assertThat(refused.reason()).isEqualTo(Reason.BUSY);
            assertThat(refused.errno()).contains(new Errno(Abi.EBUSY));
            assertThat(refused)
                .hasMessageStartingWith(
                    "Making "
                        + volume
                        + " read-only failed: a file of it is open for writing. Ask"
                        + " Mounts.whoHolds by whom, and end that first.");
            assertThat(flags(scratch, volume)).isEqualTo("rw,relatime");
            assertThat(flags(scratch, busy)).isEqualTo("rw,relatime");
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNoMountDoesNotBecomeReadOnly(Rung rung, Scratch scratch) throws Exception {
    MountPath plain = scratch.directory("plain");
    rung.run(
        (mounts, kernel) -> {
          MountException refused = Refusal.of(() -> mounts.setReadOnly(plain, false));

          assertThat(refused.reason()).isEqualTo(Reason.NOT_A_MOUNT);
          assertThat(flags(scratch, scratch.root())).isEqualTo("rw,relatime");
        });
  }

  @ParameterizedTest
  @EnumSource
  void anEqualMountIsTheResult(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("volume/source");
    MountPath target = scratch.path("target");
    BindRequest request = bind(source, target).createTarget(true).readOnly(true).build();
    rung.run(
        (mounts, kernel) -> {
          MountResult first = mounts.bind(request);
          OpenDescriptors descriptors = new OpenDescriptors();
          MountResult second = mounts.bind(request);

          assertThat(first.created()).isTrue();
          assertThat(second).isEqualTo(new MountResult(first.ref(), false));
          assertThat(scratch.rows(target)).hasSize(1);
          descriptors.assertNoneLeft();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aMountBoundToItselfOnceIsNotBoundTwice(Rung rung, Scratch scratch) throws Exception {
    MountPath own = scratch.directory("own");
    rung.run(
        (mounts, kernel) -> {
          assertThat(mounts.bind(bind(own, own).build()).created()).isTrue();
          assertThat(mounts.bind(bind(own, own).build()).created()).isFalse();
          assertThat(scratch.rows(own)).hasSize(1);
        });
  }

  @ParameterizedTest
  @EnumSource
  void anotherSourceIsInTheWay(Rung rung, Scratch scratch) throws Exception {
    MountPath one = scratch.directory("one");
    MountPath two = scratch.directory("two");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          MountResult there = mounts.bind(bind(one, target).build());
          MountException refused = Refusal.of(() -> mounts.bind(bind(two, target).build()));

          assertThat(refused.reason()).isEqualTo(Reason.TARGET_OCCUPIED);
          assertThat(refused.occupant().orElseThrow().ref()).isEqualTo(there.ref());
          assertThat(refused.target()).contains(target);
          assertThat(refused)
              .hasMessageContaining("It differs in root (/one instead of /two). Unmount it first");
          assertThat(scratch.rows(target)).hasSize(1);
        });
  }

  @ParameterizedTest
  @EnumSource
  void anotherDeviceAndOtherFlagsAreInTheWayAndNamedTogether(Rung rung, Scratch scratch)
      throws Exception {
    scratch.tmpfs("one");
    scratch.tmpfs("two");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(scratch.path("one"), target).build());
          MountException refused =
              Refusal.of(
                  () -> mounts.bind(bind(scratch.path("two"), target).readOnly(true).build()));

          assertThat(refused.reason()).isEqualTo(Reason.TARGET_OCCUPIED);
          assertThat(refused)
              .hasMessageContaining("It differs in device (0:")
              .hasMessageContaining(" and in flags (relatime instead of ro,relatime).");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aMissingTargetIsMadeOnlyIfAskedFor(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath file = scratch.file("file", "content");
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          MountException refused = Refusal.of(() -> mounts.bind(bind(source, target).build()));
          assertThat(refused.reason()).isEqualTo(Reason.NOT_FOUND);
          assertThat(refused.errno()).contains(new Errno(Abi.ENOENT));
          assertThat(scratch.file("target")).doesNotExist();

          mounts.bind(bind(source, target).createTarget(true).build());
          mounts.bind(bind(file, scratch.path("other")).createTarget(true).build());
          assertThat(scratch.file("target")).isDirectory();
          assertThat(Files.readString(scratch.file("other"))).isEqualTo("content");

          MountException deep =
              Refusal.of(
                  () ->
                      mounts.bind(
                          bind(source, scratch.path("no/such/target")).createTarget(true).build()));
          assertThat(deep.reason()).isEqualTo(Reason.NOT_FOUND);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aDirectoryDoesNotGoOntoAFileNorAFileOntoADirectory(Rung rung, Scratch scratch)
      throws Exception {
    MountPath directory = scratch.directory("directory");
    MountPath file = scratch.file("file", "");
    rung.run(
        (mounts, kernel) -> {
          for (BindRequest request :
              List.of(bind(directory, file).build(), bind(file, directory).build())) {
            MountException refused = Refusal.of(() -> mounts.bind(request));
            assertThat(refused.reason()).isEqualTo(Reason.WRONG_KIND);
            assertThat(refused.errno()).isEmpty();
          }
          assertThat(scratch.rows(file)).isEmpty();
          assertThat(scratch.rows(directory)).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindOutlivesItsSourceAndIsStillFoundEqual(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath kept = scratch.directory("kept");
    MountPath target = scratch.directory("target");
    scratch.bind(source, kept);
    rung.run(
        (mounts, kernel) -> {
          MountResult first = mounts.bind(bind(kept, target).build());
          Files.delete(scratch.file("source"));

          assertThat(first.created()).isTrue();
          assertThat(mounts.bind(bind(kept, target).build()).created()).isFalse();
          assertThat(scratch.rows(target)).singleElement().asString().contains("//deleted");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aSourceThatWasDeletedCannotBeBoundAnyMore(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath kept = scratch.directory("kept");
    scratch.bind(source, kept);
    Files.delete(scratch.file("source"));
    rung.run(
        (mounts, kernel) -> {
          MountException refused =
              Refusal.of(
                  () -> mounts.bind(bind(kept, scratch.path("target")).createTarget(true).build()));

          assertThat(refused.reason()).isEqualTo(Reason.NOT_FOUND);
          assertThat(refused.errno()).contains(new Errno(Abi.ENOENT));
          assertThat(scratch.file("target")).doesNotExist();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aTargetThatIsDeletedMeanwhileIsNotFound(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          Kernel slow = kernel;
          for (String call : List.of("openTree", "mount")) {
            slow = FakedCall.before(slow, call, () -> delete(scratch.file("target")));
          }
          Mounts racing = Rung.mounts(slow);
          MountException refused = Refusal.of(() -> racing.bind(bind(source, target).build()));

          assertThat(refused.reason()).isEqualTo(Reason.NOT_FOUND);
          assertThat(refused.errno()).contains(new Errno(Abi.ENOENT));
          assertThat(scratch.rows(target)).isEmpty();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindThatFailsLeavesNothingBehind(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    scratch.rawMount("none", scratch.file("source"), "none", Abi.MS_UNBINDABLE, null);
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          BindRequest request = bind(source, target).createTarget(true).build();
          Refusal.of(() -> mounts.bind(request));
          OpenDescriptors descriptors = new OpenDescriptors();
          MountException refused = Refusal.of(() -> mounts.bind(request));

          assertThat(refused.reason()).isEqualTo(Reason.BAD_SOURCE);
          assertThat(refused.errno()).contains(new Errno(Abi.EINVAL));
          assertThat(refused).hasMessageContaining("the source is in a mount that is unbindable");
          assertThat(scratch.file("target")).doesNotExist();
          assertThat(scratch.rows(target)).isEmpty();
          descriptors.assertNoneLeft();
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindWhoseFlagsCannotBeSetIsTakenBack(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          int[] calls = {0};
          Kernel failing =
              FakedCall.answering(
                  kernel.with(
                      kernel.calls(), kernel.features().without(Feature.MOUNT_SETATTR, "none")),
                  "mountSetattr",
                  () -> -Abi.ENOSYS);
          failing = FakedCall.sometimes(failing, "mount", () -> calls[0]++ == 0 ? 0 : -Abi.EPERM);
          Mounts broken = Rung.mounts(failing);
          MountException refused =
              Refusal.of(
                  () ->
                      broken.bind(bind(source, target).createTarget(true).readOnly(true).build()));

          assertThat(refused.reason()).isEqualTo(Reason.NOT_PERMITTED);
          assertThat(refused).hasMessageContaining("locked by the namespace above");
          assertThat(scratch.rows(target)).isEmpty();
          assertThat(scratch.file("target")).doesNotExist();
        });
  }

  @Test
  void aMountIsNotTakenForEqualIfTheSourceCannotBeTold(Scratch scratch) {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory("target");
    scratch.bind(scratch.root(), target);
    Kernel withoutProc =
        FakedCall.answering(RunningKernel.kernel(), "readlinkat", () -> -Abi.ENOENT);

    MountException refused =
        Refusal.of(() -> Rung.mounts(withoutProc).bind(bind(source, target).build()));

    assertThat(refused.reason()).isEqualTo(Reason.NO_MOUNT_TABLE);
  }

  @Test
  void theLimitOfTheKernelIsMet(Scratch scratch) throws Exception {
    // In one read: the kernel gives nothing at a second one.
    byte[] text = ProcFiles.read("/proc/sys/fs/mount-max");
    int most = Integer.parseInt(new String(text, StandardCharsets.US_ASCII).strip());
    assumeTrue(most <= 200_000, "fs.mount-max is too high to be met: " + most);
    scratch.tmpfs("tree");
    // Each time as many again, until as many again are too many.
    int others = Scratch.rows("thread-self").size();
    int below = 1;
    for (int round = 0; others + 2 * below <= most; round++) {
      scratch.bindTree(scratch.path("tree"), scratch.directory("tree/" + round));
      below *= 2;
    }
    assertThat(Scratch.rows("thread-self")).hasSize(others + below - 1);
    MountPath target = scratch.path("target");

    MountException refused =
        Refusal.of(
            () ->
                Mounts.system(new MountSettings(Duration.ofSeconds(60), 1))
                    .bind(
                        bind(scratch.path("tree"), target)
                            .recursive(true)
                            .createTarget(true)
                            .build()));

    assertThat(refused.reason()).isEqualTo(Reason.LIMIT);
    assertThat(refused.errno()).contains(new Errno(Abi.ENOSPC));
    assertThat(scratch.file("target")).doesNotExist();
  }

  @Test
  void thePathOfATargetMayBeAsLongAsAnyPath(Scratch scratch) {
    StringBuilder relative = new StringBuilder();
    int room = 4095 - scratch.root().bytes().length - 1;
    while (room - relative.length() > 255) {
      relative.append("d".repeat(Math.min(200, room - relative.length() - 2))).append('/');
    }
    relative.append("e".repeat(room - relative.length()));
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory(relative.toString());
    assertThat(target.bytes()).hasSize(4095);
    Mounts mounts = Mounts.system();

    assertThat(mounts.bind(bind(source, target).readOnly(true).build()).created()).isTrue();
    assertThat(mounts.bind(bind(source, target).readOnly(true).build()).created()).isFalse();
    assertThat(mounts.cleanup(target, UnmountPolicy.PLAIN).outcome())
        .isEqualTo(CleanupResult.Outcome.REMOVED);
    assertThat(mounts.bind(bind(target.parent(), source).build()).created()).isTrue();
    assertThat(mounts.bind(bind(target.parent(), source).build()).created()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void theLimitOfMountsIsCalledByItsName(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          Kernel full = FakedCall.answering(kernel, "moveMount", () -> -Abi.ENOSPC);
          Mounts failing = Rung.mounts(FakedCall.answering(full, "mount", () -> -Abi.ENOSPC));
          MountException refused =
              Refusal.of(() -> failing.bind(bind(source, target).createTarget(true).build()));

          assertThat(refused.reason()).isEqualTo(Reason.LIMIT);
          assertThat(refused).hasMessageContaining("fs.mount-max");
          assertThat(scratch.file("target")).doesNotExist();
        });
  }

  @ParameterizedTest
  @EnumSource
  void ofThreadsThatBindTheSameOneMakesTheMount(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.path("target");
    BindRequest request = bind(source, target).createTarget(true).readOnly(true).build();
    rung.run(
        (mounts, kernel) -> {
          ExecutorService threads = Executors.newFixedThreadPool(8);
          CyclicBarrier together = new CyclicBarrier(8);
          List<Future<MountResult>> all = new ArrayList<>();
          for (int i = 0; i < 8; i++) {
            all.add(
                threads.submit(
                    () -> {
                      together.await();
                      return mounts.bind(request);
                    }));
          }
          List<MountResult> results = new ArrayList<>();
          for (Future<MountResult> each : all) {
            results.add(each.get());
          }
          threads.shutdown();

          assertThat(results).filteredOn(MountResult::created).hasSize(1);
          assertThat(results).extracting(MountResult::ref).containsOnly(results.get(0).ref());
          assertThat(scratch.rows(target)).hasSize(1);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aBindThatEndsAfterItsDeadlineIsUndone(Rung rung, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.path("target");
    rung.run(
        (mounts, kernel) -> {
          CountDownLatch goOn = new CountDownLatch(1);
          Kernel slow = kernel;
          for (String call : List.of("openTree", "mount")) {
            slow = FakedCall.before(slow, call, () -> await(goOn));
          }
          Mounts late =
              RunningKernel.mounts(
                  slow, new KernelTable(kernel), new MountSettings(Duration.ofMillis(200), 2));
          MountException gone =
              Refusal.of(() -> late.bind(bind(source, target).createTarget(true).build()));
          assertThat(gone.reason()).isEqualTo(Reason.DEADLINE);
          assertThat(gone).hasMessageContaining("Its effect will be undone when it ends.");
          assertThat(late.stuckCalls()).isEqualTo(1);

          MountException second = Refusal.of(() -> late.bind(bind(source, target).build()));
          assertThat(second.reason()).isEqualTo(Reason.DEADLINE);
          assertThat(second).hasMessageContaining("another call for the same target");
          assertThat(late.stuckCalls()).isEqualTo(1);

          goOn.countDown();
          while (late.stuckCalls() > 0) {
            LockSupport.parkNanos(100_000);
          }
          assertThat(scratch.rows(target)).isEmpty();
          assertThat(scratch.file("target")).doesNotExist();
        });
  }

  @ParameterizedTest
  @EnumSource
  @NeedsUserNamespace
  void aTreeWithLockedMountsIsBoundWholeOrNotAtAll(Rung rung, Scratch scratch) throws Exception {
    MountPath target = scratch.directory("target");
    rung.run(
        (mounts, kernel) -> {
          MountException refused =
              Refusal.of(() -> mounts.bind(bind(MountPath.ROOT, target).build()));
          assertThat(refused.reason()).isEqualTo(Reason.BAD_SOURCE);
          assertThat(refused.errno()).contains(new Errno(Abi.EINVAL));
          assertThat(refused).hasMessageContaining("locked by the namespace above");

          assertThat(mounts.bind(bind(MountPath.ROOT, target).recursive(true).build()).created())
              .isTrue();
        });
  }

  @ParameterizedTest
  @EnumSource
  @NeedsUserNamespace
  void lockedFlagsAreKeptByAReadOnlyBind(Rung rung, Scratch scratch) throws Exception {
    MountPath proc = MountPath.of("/proc/sys/fs");
    MountPath target = scratch.directory("target");
    String before = flags(scratch, MountPath.of("/proc"));
    rung.run(
        (mounts, kernel) -> {
          mounts.bind(bind(proc, target).readOnly(true).build());

          assertThat(flags(scratch, target)).isEqualTo(before.replace("rw,", "ro,"));
        });
  }

  @Test
  void flagsThatContradictEachOtherAreRefused(Scratch scratch) {
    BindRequest request =
        bind(scratch.directory("source"), scratch.path("target"))
            .createTarget(true)
            .flag(MountFlag.NOATIME)
            .flag(MountFlag.RELATIME)
            .build();

    MountException refused = Refusal.of(() -> Rung.mounts(RunningKernel.kernel()).bind(request));

    assertThat(refused.reason()).isEqualTo(Reason.BAD_OPTIONS);
    assertThat(scratch.file("target")).doesNotExist();
  }

  @Test
  void aMountThatCoversTheBindAtOnceIsLeftAlone(Scratch scratch) {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory("target");
    Kernel racing =
        FakedCall.after(RunningKernel.kernel(), "moveMount", () -> scratch.tmpfs("target"));

    MountResult result = Rung.mounts(racing).bind(bind(source, target).build());

    assertThat(result.created()).isTrue();
    assertThat(scratch.rows(target)).hasSize(2);
    assertThat(scratch.rows(target).get(1)).contains(" / ");
  }

  @ParameterizedTest
  @EnumSource
  void aTargetThatIsExchangedAtTheSameMomentIsNotMountedOn(Rung rung, Scratch scratch)
      throws Exception {
    MountPath source = scratch.tmpfs("source");
    scratch.directory("parent/target");
    MountPath target = scratch.path("parent/target");
    rung.run(
        (mounts, kernel) -> {
          Kernel racing = kernel;
          for (String call : List.of("moveMount", "mount")) {
            racing = FakedCall.before(racing, call, () -> exchange(scratch));
          }
          Mounts exchanged = Rung.mounts(racing);
          MountException refused = Refusal.of(() -> exchanged.bind(bind(source, target).build()));

          assertThat(refused.reason()).isEqualTo(Reason.OTHER);
          assertThat(refused).hasMessageContaining("was undone: the target was replaced");
          assertThat(scratch.rows(target)).isEmpty();
          assertThat(scratch.rows(scratch.path("parent/aside"))).isEmpty();
        });
  }

  /** Once; what is mounted on cannot be moved any more. */
  private static void exchange(Scratch scratch) {
    if (Files.exists(scratch.file("parent/aside"))) {
      return;
    }
    try {
      Files.move(scratch.file("parent/target"), scratch.file("parent/aside"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    scratch.directory("parent/target");
  }

  private static BindRequest.Builder bind(MountPath source, MountPath target) {
    return BindRequest.builder(source, target);
  }

  private static String flags(Scratch scratch, MountPath path) {
    return scratch.rows(path).get(0).split(" ", -1)[5];
  }

  private static void assertReadOnly(Path file) {
    assertThat(
            catchThrowableOfType(
                FileSystemException.class, () -> Files.writeString(file, "not allowed")))
        .hasMessageContaining("Read-only file system");
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
