package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.MountsBeneath;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases D of the mount facts: what is found at a path, by every way there is. */
@MountTest
class DetectionTest {

  private static final Syscalls CALLS = RunningKernel.kernel().calls();

  @ParameterizedTest
  @EnumSource
  void aMountIsFoundAndItsDirectoriesAreNot(Rung rung, Scratch scratch) {
    MountPath mount = scratch.tmpfs("a/t");

    assertMounted(rung, mount, MountProbe.Health.OK);
    assertPlain(rung, scratch.path("a"));
    assertPlain(rung, scratch.directory("a/t/child"));
    assertMounted(rung, scratch.root(), MountProbe.Health.OK);
    assertThat(find(rung, mount).orElseThrow().type().is("tmpfs")).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aTrailingSlashMeansTheSamePath(Rung rung, Scratch scratch) {
    scratch.tmpfs("t");

    assertMounted(rung, MountPath.of(scratch.file("t") + "/"), MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void aBindMountWithinOneFilesystemIsFound(Rung rung, Scratch scratch) throws IOException {
    MountPath directory = scratch.directory("source");
    MountPath file = scratch.file("file", "x");
    MountPath fifo = scratch.path("fifo");
    assertThat(LibcForTests.mknod(Abi.path(fifo), 0010600, 0)).isZero();
    MountPath onDirectory = scratch.directory("on-directory");
    MountPath onFile = scratch.file("on-file", "");
    MountPath onFifo = scratch.file("on-fifo", "");
    scratch.bind(directory, onDirectory);
    scratch.bind(file, onFile);
    scratch.bind(fifo, onFifo);

    assertPlain(rung, directory);
    assertPlain(rung, file);
    assertPlain(rung, fifo);
    assertMounted(rung, onDirectory, MountProbe.Health.OK);
    assertMounted(rung, onFile, MountProbe.Health.OK);
    assertMounted(rung, onFifo, MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void aDirectoryBoundToItselfIsFound(Rung rung, Scratch scratch) {
    MountPath self = scratch.directory("self");
    scratch.bind(self, self);

    assertMounted(rung, self, MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void aFileUnderADeviceIsFound(Rung rung, Scratch scratch) {
    MountPath file = scratch.file("file", "x");
    scratch.bind(MountPath.of("/dev/null"), file);

    assertMounted(rung, file, MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void aLinkAtTheEndIsNotFollowedAndOneInTheMiddleIs(Rung rung, Scratch scratch)
      throws IOException {
    MountPath mount = scratch.tmpfs("a/t");
    Files.createSymbolicLink(scratch.file("to-mount"), scratch.file("a/t"));
    Files.createSymbolicLink(scratch.file("to-above"), Path.of("a"));

    assertPlain(rung, scratch.path("to-mount"));
    MountPath through = scratch.path("to-above/t");
    assertThat(mounted(rung, through).ref().identity())
        .isEqualTo(mounted(rung, mount).ref().identity());
    assertThat(find(rung, through)).isEqualTo(find(rung, mount)).isPresent();
  }

  @ParameterizedTest
  @EnumSource
  void theRootDirectoryIsAMount(Rung rung) {
    assertThat(probe(rung, MountPath.ROOT).isMount()).isTrue();
    assertThat(find(rung, MountPath.ROOT).orElseThrow().path()).isEqualTo(MountPath.ROOT);
  }

  @ParameterizedTest
  @EnumSource
  void aMountUnderAnOverMountedDirectoryIsNotThere(Rung rung, Scratch scratch) {
    MountPath hidden = scratch.tmpfs("a/hidden");
    MountPath above = scratch.tmpfs("a");

    assertMounted(rung, above, MountProbe.Health.OK);
    assertMissing(rung, hidden);
    assertThat(find(rung, hidden)).isEmpty();

    scratch.directory("a/hidden");

    assertPlain(rung, hidden);
    assertThat(find(rung, hidden)).isEmpty();
    assertThat(scratch.rows(hidden)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void ofAStackTheTopIsFound(Rung rung, Scratch scratch) {
    MountPath path = scratch.tmpfs("t");
    MountProbe.Mounted lower = mounted(rung, path);
    scratch.tmpfs("t");
    MountProbe.Mounted upper = mounted(rung, path);

    assertThat(upper.ref()).isNotEqualTo(lower.ref());
    assertMounted(rung, path, MountProbe.Health.OK);
    assertThat(scratch.rawUnmount(path, 0)).isZero();
    assertThat(mounted(rung, path)).isEqualTo(lower);
  }

  @ParameterizedTest
  @EnumSource
  void theTopIsFoundEvenIfItIsTheOlderMount(Rung rung, Scratch scratch) {
    MountPath older = scratch.tmpfs("older");
    MountRef.Identity top = mounted(rung, older).ref().identity();
    MountPath path = scratch.tmpfs("path");
    assertThat(CALLS.mount(Abi.path(older), Abi.path(path), null, Abi.MS_MOVE, null)).isZero();

    assertThat(mounted(rung, path).ref().identity()).isEqualTo(top);
    assertMounted(rung, path, MountProbe.Health.OK);
    assertThat(scratch.rows(path)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void aMountThatWasPutBeneathAnotherIsNotTheTop(Rung rung, Scratch scratch) {
    MountsBeneath.assumed(CALLS);
    MountPath path = scratch.tmpfs("path");
    MountRef.Identity top = mounted(rung, path).ref().identity();
    byte[] from = Abi.path(scratch.tmpfs("beneath"));
    byte[] to = Abi.path(path);
    assertThat(CALLS.moveMount(Abi.AT_FDCWD, from, Abi.AT_FDCWD, to, MountsBeneath.FLAG)).isZero();

    assertThat(mounted(rung, path).ref().identity()).isEqualTo(top);
    assertMounted(rung, path, MountProbe.Health.OK);
    assertThat(scratch.rows(path)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void inAChangedRootPathsAreThoseInIt(Rung rung, Scratch scratch) {
    scratch.tmpfs("new/t");
    scratch.directory("new/proc");
    scratch.rawMount("/proc", scratch.file("new/proc"), "", Abi.MS_BIND | Abi.MS_REC, null);
    List<Boolean> seen =
        OnThread.get(
            () ->
                rung.with(
                    table -> {
                      // Classes cannot be loaded in there, so all are used once before.
                      assertThat(lookAround(table, scratch.path("new/t"))).hasSize(4);
                      LibcForTests.changeRoot(scratch.path("new"));
                      return lookAround(table, MountPath.of("/t"));
                    }));

    assertThat(seen).containsExactly(false, true, true, true);
  }

  private static List<Boolean> lookAround(MountTable table, MountPath mount) {
    return List.of(
        table.probe(MountPath.ROOT).isMount(),
        table.probe(mount).isMount(),
        table.find(mount).map(MountRecord::path).equals(Optional.of(mount)),
        table.check(mountedOf(table.probe(mount)).ref()).equals(new MountRef.Check.Present()));
  }

  @ParameterizedTest
  @EnumSource
  void aMountOfAnotherNamespaceIsRefused(Rung rung, Scratch scratch) throws Exception {
    MountPath target = scratch.directory("t");
    CountDownLatch done = new CountDownLatch(1);
    CompletableFuture<Integer> other = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                LibcForTests.unshareMounts();
                scratch.tmpfs("t");
                scratch.tmpfs("t/below");
                other.complete(LibcForTests.gettid());
                done.await();
              } catch (Throwable e) {
                other.completeExceptionally(e);
              }
            });
    thread.start();
    try {
      MountPath root = MountPath.of("/proc/self/task/" + other.get() + "/root");
      MountPath there = root.resolve(target.toString().substring(1));

      assertPlain(rung, target);
      assertThatThrownBy(() -> probe(rung, there))
          .asInstanceOf(type(MountException.class))
          .extracting(MountException::reason)
          .isEqualTo(Reason.OUTSIDE);
    } finally {
      done.countDown();
      thread.join();
    }
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void whileMountsComeAndGoEveryAnswerIsTrue(Rung rung, Scratch scratch) throws Exception {
    MountPath path = scratch.directory("t");
    AtomicBoolean ended = new AtomicBoolean();
    CountDownLatch began = new CountDownLatch(1);
    CompletableFuture<Integer> churn =
        CompletableFuture.supplyAsync(
            () -> {
              int mounts = 0;
              while (!ended.get()) {
                scratch.tmpfs("t");
                mounts++;
                began.countDown();
                scratch.rawUnmount(path, Abi.MNT_DETACH);
              }
              return mounts;
            });

    began.await();
    try {
      for (int i = 0; i < 100; i++) {
        MountProbe probe = probeInChurn(rung, path);
        assertThat(probe).isNotEqualTo(new MountProbe.Missing());
        if (probe instanceof MountProbe.Mounted mounted) {
          assertThat(mounted.ref().path()).isEqualTo(path);
          assertThat(mounted.health()).isEqualTo(MountProbe.Health.OK);
        }
      }
    } finally {
      ended.set(true);
    }
    assertThat(churn.get()).isPositive();
    assertPlain(rung, path);
  }

  /**
   * A probe; where each row is gone before it is read, or no two readings of an old kernel's table
   * agree, that is said and it is asked again.
   */
  private static MountProbe probeInChurn(Rung rung, MountPath path) {
    Set<Reason> again =
        rung.readsTwice() ? Set.of(Reason.OUTSIDE, Reason.NO_MOUNT_TABLE) : Set.of(Reason.OUTSIDE);
    while (true) {
      try {
        return probe(rung, path);
      } catch (MountException e) {
        assertThat(e.reason()).isIn(again);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFileThatOverlayfsTakesFromBelowIsNoMount(Rung rung, Scratch scratch) throws IOException {
    scratch.file("lower/file", "x");
    scratch.directory("upper");
    scratch.directory("work");
    MountPath overlay = scratch.directory("overlay");
    String options =
        "lowerdir="
            + scratch.file("lower")
            + ",upperdir="
            + scratch.file("upper")
            + ",workdir="
            + scratch.file("work");
    scratch.rawMount("overlay", scratch.file("overlay"), "overlay", 0, options);

    assertPlain(rung, scratch.path("overlay/file"));
    assertMounted(rung, overlay, MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void aMountIsFoundAtTheNewNameOfADirectoryAboveIt(Rung rung, Scratch scratch) throws IOException {
    MountPath old = scratch.tmpfs("a/t");
    Files.move(scratch.file("a"), scratch.file("b"));

    assertMissing(rung, old);
    assertMounted(rung, scratch.path("b/t"), MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void aMountWhoseSourceWasDeletedIsFound(Rung rung, Scratch scratch) throws IOException {
    MountPath source = scratch.directory("source");
    MountPath target = scratch.directory("target");
    scratch.bind(source, target);
    Files.delete(scratch.file("source"));

    assertMounted(rung, target, MountProbe.Health.OK);
    assertThat(find(rung, target).orElseThrow().isDeleted()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void whatIsNotThereIsMissing(Rung rung, Scratch scratch) {
    scratch.file("file", "x");

    assertMissing(rung, scratch.path("none"));
    assertMissing(rung, scratch.path("none/below"));
    assertMissing(rung, scratch.path("file/below"));
    assertThat(find(rung, scratch.path("file/below"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aNameMayHave255BytesAndNoMore(Rung rung, Scratch scratch) {
    MountPath longest = scratch.tmpfs("n".repeat(255));

    assertMounted(rung, longest, MountProbe.Health.OK);
    assertRefused(
        rung, scratch.path("n".repeat(256)), Reason.BAD_OPTIONS, new Errno(Abi.ENAMETOOLONG));
  }

  @ParameterizedTest
  @EnumSource
  void aPathMayHave4095Bytes(Rung rung, Scratch scratch) {
    StringBuilder relative = new StringBuilder();
    int room = 4095 - scratch.root().bytes().length - 1;
    while (relative.length() + 201 < room - 1) {
      relative.append("d".repeat(200)).append('/');
    }
    relative.append("e".repeat(Math.min(255, room - relative.length())));
    MountPath deep = scratch.directory(relative.toString());

    assertPlain(rung, deep);
    assertPlain(rung, deep.parent());
    scratch.tmpfs(relative.toString());
    assertMounted(rung, deep, MountProbe.Health.OK);
    assertThat(deep.bytes()).hasSize(4095);
  }

  @ParameterizedTest
  @EnumSource
  void aCircleOfLinksIsRefused(Rung rung, Scratch scratch) throws IOException {
    Files.createSymbolicLink(scratch.file("loop"), Path.of("loop"));

    assertPlain(rung, scratch.path("loop"));
    assertRefused(rung, scratch.path("loop/x"), Reason.SYMLINK, new Errno(Abi.ELOOP));
  }

  @ParameterizedTest
  @EnumSource
  void aNameOfAnyBytesIsFound(Rung rung, Scratch scratch) {
    byte[] name = "/ \t\n\\#\r\u00a0\u000b!".getBytes(StandardCharsets.UTF_8);
    name[name.length - 1] = (byte) 0xff;
    byte[] root = scratch.root().bytes();
    byte[] bytes = Arrays.copyOf(root, root.length + name.length);
    System.arraycopy(name, 0, bytes, root.length, name.length);
    MountPath path = MountPath.ofBytes(bytes);
    assertThat(CALLS.mkdirat(Abi.AT_FDCWD, Abi.path(path), 0700)).isZero();
    assertPlain(rung, path);
    scratch.bind(path, path);

    assertMounted(rung, path, MountProbe.Health.OK);
  }

  @ParameterizedTest
  @EnumSource
  void behindADirectoryThatIsClosedTheTableTells(Rung rung, Scratch scratch) {
    MountPath mount = scratch.tmpfs("closed/a/t");
    MountPath plain = scratch.directory("closed/a/plain");
    assertThat(scratch.file("closed").toFile().setExecutable(false, false)).isTrue();

    assertThat(withoutCapabilities(rung, table -> mountedOf(table.probe(mount))).health())
        .isEqualTo(MountProbe.Health.DENIED);
    Optional<MountRecord> found = withoutCapabilities(rung, table -> table.find(mount));
    assertThat(found).isEqualTo(find(rung, mount)).isPresent();
    assertThatThrownBy(() -> withoutCapabilities(rung, table -> table.probe(plain)))
        .asInstanceOf(type(MountException.class))
        .satisfies(
            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PERMITTED),
            e -> assertThat(e.errno()).contains(new Errno(Abi.EACCES)),
            e -> assertThat(e.target()).contains(plain));
  }

  @ParameterizedTest
  @EnumSource
  @NeedsRoot("/dev/fuse")
  void aServedFilesystemIsFoundAliveAndHung(Rung rung, Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      assertMounted(rung, server.target(), MountProbe.Health.UNKNOWN);
      server.hang();
      assertMounted(rung, server.target(), MountProbe.Health.UNKNOWN);
      assertThat(server.unanswered()).isZero();
    }
    assertPlain(rung, scratch.path("v"));
  }

  @ParameterizedTest
  @EnumSource
  @NeedsRoot("/dev/fuse")
  void aServedFilesystemIsFoundDead(Rung rung, Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.die();

      assertMounted(rung, server.target(), MountProbe.Health.UNKNOWN);
      assertRefused(rung, scratch.path("v/file"), Reason.BROKEN, new Errno(Abi.ENOTCONN));
    }
  }

  @ParameterizedTest
  @EnumSource
  @NeedsRoot("/dev/fuse")
  void aServedFilesystemOfAnotherUserIsFound(Rung rung, Scratch scratch) {
    try (FuseServer server = FuseServer.mountForAnotherUser(scratch.directory("v"))) {
      boolean asks =
          Set.of(Rung.NEWEST, Rung.NEWEST_WITHOUT_OPENAT2, Rung.REUSABLE_IDS).contains(rung);
      assertThat(mounted(rung, server.target()).health())
          .isEqualTo(asks ? MountProbe.Health.DENIED : MountProbe.Health.UNKNOWN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noDescriptorIsLeftOpen(Rung rung, Scratch scratch) {
    MountPath mount = scratch.tmpfs("a/t");
    MountPath missing = scratch.path("none");
    assertMissing(rung, missing);
    OpenDescriptors descriptors = new OpenDescriptors();

    assertMounted(rung, mount, MountProbe.Health.OK);
    assertPlain(rung, scratch.path("a"));
    assertMissing(rung, missing);

    descriptors.assertNoneLeft();
    assertThat(scratch.rawUnmount(mount, 0)).isZero();
  }

  /** Looks by all operations, whose answers have to agree. */
  private static void assertMounted(Rung rung, MountPath path, MountProbe.Health health) {
    MountProbe.Mounted probe = mounted(rung, path);
    assertThat(probe.health()).isEqualTo(health);
    assertThat(probe.ref().path()).isEqualTo(path);
    assertThat(probe.ref().bootId()).isEqualTo(RunningKernel.kernel().bootId());
    assertThat(find(rung, path).map(MountRecord::ref)).contains(probe.ref());
    List<MountRecord> listed =
        rung.with(table -> table.list(record -> record.ref().equals(probe.ref()))).records();
    assertThat(listed).hasSize(1);
  }

  private static void assertPlain(Rung rung, MountPath path) {
    assertThat(probe(rung, path)).isEqualTo(new MountProbe.NotAMount());
    assertThat(find(rung, path)).isEmpty();
  }

  private static void assertMissing(Rung rung, MountPath path) {
    assertThat(probe(rung, path)).isEqualTo(new MountProbe.Missing());
  }

  private static void assertRefused(Rung rung, MountPath path, Reason reason, Errno errno) {
    assertThatThrownBy(() -> probe(rung, path))
        .asInstanceOf(type(MountException.class))
        .satisfies(
            e -> assertThat(e.reason()).isEqualTo(reason),
            e -> assertThat(e.errno()).contains(errno),
            e -> assertThat(e.target()).contains(path));
  }

  private static MountProbe.Mounted mounted(Rung rung, MountPath path) {
    return mountedOf(probe(rung, path));
  }

  private static MountProbe.Mounted mountedOf(MountProbe probe) {
    assertThat(probe).isInstanceOf(MountProbe.Mounted.class);
    return (MountProbe.Mounted) probe;
  }

  private static MountProbe probe(Rung rung, MountPath path) {
    return rung.with(table -> table.probe(path));
  }

  private static Optional<MountRecord> find(Rung rung, MountPath path) {
    return rung.with(table -> table.find(path));
  }

  private static <T> T withoutCapabilities(Rung rung, Function<MountTable, T> work) {
    return OnThread.get(
        () ->
            rung.with(
                table -> {
                  LibcForTests.dropCapabilities();
                  return work.apply(table);
                }));
  }
}
