package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.OpenPath;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mount that is held open stays the same, and nothing beneath it leads out of it. */
@MountTest
class HeldPathTest {

  private static final UnmountPolicy ONCE = new UnmountPolicy(Duration.ZERO, false, false);

  /** The deadline of calls that hang, in which a busy machine makes all others. */
  private static final Duration A_MOMENT = Duration.ofMillis(1500);

  private static MountException refused(OpenPath from, String below, Reason reason) {
    MountException refusal = Refusal.of(() -> from.resolve(below).close());
    assertThat(refusal.reason()).as(below).isEqualTo(reason);
    return refusal;
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsHeldIsTheMountWhateverBecomesOfItsPath(Rung rung, Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("in/volume");
    Files.writeString(scratch.file("in/volume/mine"), "mine");
    MountPath seen = scratch.directory("seen");
    scratch.file("evil/volume/mine", "of another");
    rung.run(
        (mounts, kernel) -> {
          OpenDescriptors descriptors = new OpenDescriptors();
          try (OpenPath held = mounts.beneath(scratch.root()).open(volume)) {
            assertThat(held.path()).isEqualTo(volume);
            assertThat(held.isDirectory()).isTrue();
            assertThat(new KernelTable(kernel).find(volume).orElseThrow().ref())
                .isEqualTo(held.mount());
            Files.move(scratch.file("in"), scratch.file("aside"));
            Files.createSymbolicLink(scratch.file("in"), scratch.file("evil"));

            assertThat(volume.resolve("mine").toPath()).hasContent("of another");
            assertThat(held.throughProc().resolve("mine").toPath()).hasContent("mine");
            mounts.bind(BindRequest.builder(held.throughProc(), seen).followSource(true).build());
            assertThat(seen.resolve("mine").toPath()).hasContent("mine");
            mounts.unmount(seen, ONCE);
            assertThat(Refusal.of(() -> mounts.open(volume).close()).reason())
                .isEqualTo(Reason.SYMLINK);
            Files.delete(scratch.file("in"));
            Files.move(scratch.file("aside"), scratch.file("in"));
          }
          descriptors.assertNoneLeft();
        });
  }

  @ParameterizedTest
  @EnumSource
  void nothingBeneathLeadsOutOfTheVolume(Rung rung, Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    Path root = scratch.file("volume");
    Files.createDirectories(root.resolve("a/b"));
    Files.writeString(root.resolve("a/b/file"), "content");
    Files.createSymbolicLink(root.resolve("absolute"), Path.of("/etc"));
    Files.createSymbolicLink(root.resolve("up"), Path.of("../.."));
    Files.createSymbolicLink(root.resolve("a/inside"), Path.of("b"));
    Files.createSymbolicLink(root.resolve("a/b/last"), Path.of("/etc/passwd"));
    Files.createSymbolicLink(root.resolve("magic"), Path.of("/proc/self/root"));
    scratch.tmpfs("volume/other");
    rung.run(
        (mounts, kernel) -> {
          OpenDescriptors descriptors = new OpenDescriptors();
          try (OpenPath held = mounts.open(volume)) {
            try (OpenPath directory = held.resolve("a/b");
                OpenPath file = directory.resolve("file")) {
              assertThat(directory.path()).isEqualTo(volume.resolve("a/b"));
              assertThat(directory.isDirectory()).isTrue();
              assertThat(directory.mount()).isEqualTo(held.mount());
              assertThat(file.isDirectory()).isFalse();
              assertThat(file.throughProc().toPath()).hasContent("content");
            }
            for (String link :
                new String[] {"absolute", "up", "up/etc", "a/inside", "a/b/last", "magic/etc"}) {
              refused(held, link, Reason.SYMLINK);
            }
            for (String none : new String[] {"..", "a/../..", "/etc", "", ".", "a/./b", "a\0b"}) {
              refused(held, none, Reason.OUTSIDE);
            }
            assertThat(refused(held, "other", Reason.OUTSIDE))
                .hasMessageContaining("another mount is on the way");
            refused(held, "missing/x", Reason.NOT_FOUND);
            refused(held, "a/b/file/x", Reason.WRONG_KIND);
          }
          descriptors.assertNoneLeft();
        });
  }

  @Test
  void aDirectoryThatIsNoMountAndALinkAreNotHeld(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    MountPath plain = scratch.directory("plain");
    Files.createSymbolicLink(scratch.file("link"), volume.toPath());
    Mounts mounts = Mounts.system();
    assertThat(Refusal.of(() -> mounts.open(plain).close()).reason()).isEqualTo(Reason.NOT_A_MOUNT);
    assertThat(Refusal.of(() -> mounts.open(scratch.path("link")).close()).reason())
        .isEqualTo(Reason.SYMLINK);
    assertThat(Refusal.of(() -> mounts.open(scratch.path("none")).close()).reason())
        .isEqualTo(Reason.NOT_FOUND);
    assertThat(Refusal.of(() -> mounts.beneath(plain).open(volume).close()).reason())
        .isEqualTo(Reason.OUTSIDE);
  }

  @Test
  void aMountIsInUseWhileItIsHeldAndNotAfterThat(Scratch scratch) {
    MountPath volume = scratch.tmpfs("volume");
    Mounts mounts = Mounts.system();
    OpenPath held = mounts.open(volume);
    assertThat(Refusal.of(() -> mounts.unmount(volume, ONCE)).reason()).isEqualTo(Reason.BUSY);
    held.close();
    held.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> held.resolve("a"))
        .withMessage(volume + " is not held open any more.");
    mounts.unmount(held.mount(), ONCE);
    assertThat(scratch.rows(volume)).isEmpty();
  }

  @Test
  void aServerThatHangsIsNotWaitedForLongerThanTheDeadline(Scratch scratch) throws Exception {
    Mounts mounts =
        RunningKernel.mounts(
            RunningKernel.kernel(),
            new KernelTable(RunningKernel.kernel()),
            new MountSettings(A_MOMENT, 4));
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      try (OpenPath held = mounts.open(server.target())) {
        assertThat(server.unanswered()).as("holding asks nothing").isZero();
        refused(held, "a", Reason.DEADLINE);
      }
    }
  }

  @Test
  void whatIsHeldIsOpenedOnThePoolOnlyAndClosedAtOnce(Scratch scratch) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    scratch.directory("volume/a");
    AtomicBoolean hangs = new AtomicBoolean();
    CountDownLatch released = new CountDownLatch(1);
    Runnable hang =
        () -> {
          if (hangs.get()) {
            awaitUninterrupted(released);
          }
        };
    Kernel kernel =
        FakedCall.before(FakedCall.before(RunningKernel.kernel(), "openat", hang), "openat2", hang);
    Mounts mounts =
        RunningKernel.mounts(
            kernel, new KernelTable(RunningKernel.kernel()), new MountSettings(A_MOMENT, 4));
    OpenDescriptors descriptors = new OpenDescriptors();
    OpenPath held = mounts.open(volume);
    hangs.set(true);
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              refused(held, "a", Reason.DEADLINE);
              held.close();
              return null;
            });
    Thread thread = new Thread(task, "must-return");
    thread.setDaemon(true);
    thread.start();
    try {
      task.get(20, TimeUnit.SECONDS);
    } finally {
      released.countDown();
    }
    Eventually.isTrue("the call has come back", () -> mounts.stuckCalls() == 0);
    descriptors.assertNoneLeft();
  }

  @Test
  void ownersAreGivenThroughWhatIsHeldWithoutACallOnTheThreadOfTheCaller(Scratch scratch)
      throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    Set<String> threads = ConcurrentHashMap.newKeySet();
    Runnable note = () -> threads.add(Thread.currentThread().getName());
    Kernel kernel =
        FakedCall.before(FakedCall.before(RunningKernel.kernel(), "openat", note), "openat2", note);
    Mounts mounts = Rung.mounts(kernel);
    OpenDescriptors descriptors = new OpenDescriptors();

    mounts.setOwnership(volume, FileOwnership.ofGroup(0), progress -> {});

    assertThat(threads).isNotEmpty().allMatch(name -> name.startsWith("csi4j-mount-"));
    descriptors.assertNoneLeft();
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource(names = {"BEST", "OLDEST"})
  void amongAMillionSwapsNoneLeadsOut(Rung rung, Scratch scratch) throws Exception {
    swap(rung, scratch, 100_000);
  }

  @ParameterizedTest
  @EnumSource(names = {"BEST", "OLDEST"})
  void whoeverSwapsADirectoryForALinkLeadsNobodyOut(Rung rung, Scratch scratch) throws Exception {
    swap(rung, scratch, 3_000);
  }

  private static void swap(Rung rung, Scratch scratch, int attempts) throws Exception {
    MountPath volume = scratch.tmpfs("volume");
    Path inside = scratch.file("volume/d");
    Files.createDirectories(inside.resolve("t"));
    Path victim = scratch.file("victim");
    Files.createDirectories(victim.resolve("t"));
    Path link = scratch.file("volume/link");
    Path aside = scratch.file("volume/aside");
    Files.createSymbolicLink(link, victim);
    AtomicBoolean ends = new AtomicBoolean();
    Thread swapper =
        new Thread(
            () -> {
              try {
                while (!ends.get()) {
                  Files.move(inside, aside, StandardCopyOption.ATOMIC_MOVE);
                  Files.move(link, inside, StandardCopyOption.ATOMIC_MOVE);
                  Files.move(inside, link, StandardCopyOption.ATOMIC_MOVE);
                  Files.move(aside, inside, StandardCopyOption.ATOMIC_MOVE);
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            },
            "swapper");
    swapper.setDaemon(true);
    rung.run(
        (mounts, kernel) -> {
          int held = 0;
          int refused = 0;
          MountOf where = new MountOf(kernel);
          try (OpenPath root = mounts.open(volume)) {
            long mount = where.id(root.descriptor());
            swapper.start();
            for (int i = 0; i < attempts || ((held == 0 || refused == 0) && i < 1_000_000); i++) {
              try (OpenPath opened = root.resolve("d/t")) {
                assertThat(where.id(opened.descriptor())).as("attempt %d", i).isEqualTo(mount);
                held++;
              } catch (MountException e) {
                assertThat(e.reason())
                    .isIn(Reason.SYMLINK, Reason.NOT_FOUND, Reason.WRONG_KIND, Reason.OTHER);
                refused++;
              }
            }
          } finally {
            ends.set(true);
            swapper.join();
          }
          assertThat(held).as("held").isPositive();
          assertThat(refused).as("refused").isPositive();
        });
  }
}
