package io.csi4j.mount.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.MountWatch;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.change.FakedCall;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountEvent.Attached;
import io.csi4j.mount.model.MountEvent.Changed;
import io.csi4j.mount.model.MountEvent.Detached;
import io.csi4j.mount.model.MountEvent.Resync;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsKernel;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases N of the mount facts: changes that the kernel tells of. */
@MountTest
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchTest {

  private static final OptionalLong NOBODY = OptionalLong.empty();

  private final Syscalls calls = RunningKernel.kernel().calls();

  @ParameterizedTest
  @EnumSource
  void aMountThatComesAndGoesIsTold(Way way, Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      MountPath path = scratch.tmpfs("a");
      Attached attached = told.next(Attached.class);
      scratch.rawUnmount(path, 0);
      Detached detached = told.next(Detached.class);

      assertThat(attached.mount().path()).isEqualTo(path);
      assertThat(attached.mount().type().is("tmpfs")).isTrue();
      assertThat(attached.actor()).isEqualTo(way == Way.FANOTIFY ? myself() : NOBODY);
      assertThat(detached.mount()).isEqualTo(attached.mount());
      assertThat(detached.actor()).isEqualTo(way == Way.FANOTIFY ? myself() : NOBODY);
      assertThat(watching.start().at(path)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLazyUnmountTellsEveryMountOfTheTree(Way way, Scratch scratch) throws Exception {
    MountPath top = scratch.tmpfs("a");
    MountPath below = scratch.tmpfs("a/b");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      scratch.rawUnmount(top, Abi.MNT_DETACH);

      assertThat(told.next(2))
          .allMatch(Detached.class::isInstance)
          .extracting(Told::path)
          .containsExactlyInAnyOrder(top, below);
      assertThat(watching.start().at(below)).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyMountOfARecursiveBindIsTold(Way way, Scratch scratch) throws Exception {
    MountPath source = scratch.tmpfs("a");
    scratch.tmpfs("a/b");
    MountPath target = scratch.directory("t");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      calls.mount(Abi.path(source), Abi.path(target), null, Abi.MS_BIND | Abi.MS_REC, null);

      assertThat(told.next(2))
          .allMatch(Attached.class::isInstance)
          .extracting(Told::path)
          .containsExactly(target, target.resolve("b"));
      assertThat(watching.start().at(target)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadOnlyRemountIsAChange(Way way, Scratch scratch) throws Exception {
    MountPath path = scratch.tmpfs("a");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      long flags = Abi.MS_REMOUNT | Abi.MS_BIND | Abi.MS_RDONLY;
      assertThat(calls.mount(null, Abi.path(path), null, flags, null)).isZero();
      Changed changed = told.next(Changed.class);

      assertThat(changed.before()).isEqualTo(watching.start().at(path).orElseThrow());
      assertThat(changed.before().isReadOnly()).isFalse();
      assertThat(changed.now().isReadOnly()).isTrue();
      assertThat(changed.now().ref()).isEqualTo(changed.before().ref());
    }
  }

  @ParameterizedTest
  @EnumSource
  @NeedsKernel(Feature.MOUNT_SETATTR)
  void newAttributesAreAChange(Way way, Scratch scratch) throws Exception {
    MountPath path = scratch.tmpfs("a");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      byte[] attr = new byte[32];
      Struct.u64(attr, 0, Abi.MOUNT_ATTR_NOEXEC);
      assertThat(calls.mountSetattr(Abi.AT_FDCWD, Abi.path(path), 0, attr)).isZero();
      Changed changed = told.next(Changed.class);

      assertThat(changed.before().flags()).doesNotContain(MountFlag.NOEXEC);
      assertThat(changed.now().flags()).contains(MountFlag.NOEXEC);
      assertThat(watching.start().at(path)).contains(changed.before());
    }
  }

  /** With thousands of mounts, a second record of each is megabytes. */
  @ParameterizedTest
  @EnumSource
  void theRecordOfAMountThatStaysAsItWasIsNotReplaced(Way way, Scratch scratch) throws Exception {
    MountPath stays = scratch.tmpfs("a");
    MountPath changes = scratch.tmpfs("b");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      long flags = Abi.MS_REMOUNT | Abi.MS_BIND | Abi.MS_RDONLY;
      assertThat(calls.mount(null, Abi.path(changes), null, flags, null)).isZero();
      Changed changed = told.next(Changed.class); // so all mounts were read again
      scratch.rawUnmount(stays, 0);
      Detached detached = told.next(Detached.class);

      assertThat(changed.before()).isSameAs(watching.start().at(changes).orElseThrow());
      assertThat(detached.mount()).isSameAs(watching.start().at(stays).orElseThrow());
    }
  }

  @ParameterizedTest
  @EnumSource
  void propagationIsToldWithTheNextChangeOfAnything(Way way, Scratch scratch) throws Exception {
    MountPath path = scratch.tmpfs("a");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      assertThat(calls.mount(null, Abi.path(path), null, Abi.MS_SHARED, null)).isZero();
      scratch.tmpfs("b");

      assertThat(told.next(2))
          .anyMatch(
              event -> event instanceof Attached a && a.mount().path().equals(at(scratch, "b")))
          .anyMatch(
              event ->
                  event instanceof Changed c
                      && c.now().path().equals(path)
                      && c.now().propagation().sends()
                      && !c.before().propagation().sends());
      assertThat(watching.start().at(path)).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theRenamingOfADirectoryAboveIsToldWithTheNextChangeOfAnything(Way way, Scratch scratch)
      throws Exception {
    scratch.tmpfs("a/x");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      Files.move(scratch.file("a"), scratch.file("z"));
      scratch.tmpfs("b");

      assertThat(told.next(2))
          .anyMatch(
              event ->
                  event instanceof Changed c
                      && c.before().path().equals(at(scratch, "a/x"))
                      && c.now().path().equals(at(scratch, "z/x")));
      assertThat(watching.start().at(at(scratch, "a/x"))).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMoveIsOneChange(Way way, Scratch scratch) throws Exception {
    MountPath from = scratch.tmpfs("a");
    MountPath to = scratch.directory("t");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      assertThat(calls.mount(Abi.path(from), Abi.path(to), null, Abi.MS_MOVE, null)).isZero();
      Changed changed = told.next(Changed.class);

      assertThat(changed.before().path()).isEqualTo(from);
      assertThat(changed.now().path()).isEqualTo(to);
      assertThat(changed.now().ref().identity()).isEqualTo(changed.before().ref().identity());
      assertThat(watching.start().at(from)).contains(changed.before());
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsDeletedBehindAMountDoesNotEndIt(Way way, Scratch scratch) throws Exception {
    scratch.tmpfs("src");
    MountPath source = scratch.directory("src/a");
    MountPath target = scratch.directory("t");
    scratch.bind(source, target);
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      Files.delete(scratch.file("src/a"));
      MountPath other = scratch.tmpfs("b");

      assertThat(Told.path(told.next(Attached.class))).isEqualTo(other);
      scratch.rawUnmount(target, 0);
      assertThat(told.next(Detached.class).mount().path()).isEqualTo(target);
      assertThat(watching.start().at(target)).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theRemovalOfItsDirectoryInAnotherNamespaceEndsAMount(Way way, Scratch scratch)
      throws Exception {
    way.assumeHere();
    MountPath path = scratch.directory("a");
    CompletableFuture<Void> mounted = new CompletableFuture<>();
    CompletableFuture<Void> apart = new CompletableFuture<>();
    FutureTask<Long> foreign =
        new FutureTask<>(
            () -> {
              LibcForTests.unshareMounts();
              apart.complete(null);
              mounted.get(30, TimeUnit.SECONDS);
              return run("rmdir", path);
            });
    new Thread(foreign, "another-namespace").start();
    apart.get(30, TimeUnit.SECONDS);
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      scratch.tmpfs("a");
      Attached attached = told.next(Attached.class);
      mounted.complete(null);
      long pid = foreign.get(30, TimeUnit.SECONDS);
      Detached detached = told.next(Detached.class);

      assertThat(detached.mount().ref()).isEqualTo(attached.mount().ref());
      assertThat(detached.actor()).isEqualTo(another(way, pid));
      assertThat(watching.start().at(path)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUnmountByAnotherProcessIsNotTakenForOurOwn(Way way, Scratch scratch) throws Exception {
    MountPath path = scratch.tmpfs("a");
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      long pid = run("umount", path);
      Detached detached = told.next(Detached.class);

      assertThat(detached.mount()).isEqualTo(watching.start().at(path).orElseThrow());
      assertThat(detached.actor()).isEqualTo(another(way, pid)).isNotEqualTo(myself());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aMountThatIsGoneWhenItWouldBeToldIsNotToldAtAll(Way way, Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    try (MountWatch.Watching watching = way.start(told)) {
      told.hold();
      scratch.tmpfs("first");
      told.awaitHeld();
      scratch.rawUnmount(scratch.tmpfs("brief"), 0);
      MountPath last = scratch.tmpfs("last");
      told.release();

      assertThat(Told.path(told.next())).isEqualTo(at(scratch, "first"));
      assertThat(Told.path(told.next(Attached.class))).isEqualTo(last);
      assertThat(watching.start().at(last)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void noChangeIsLostBetweenTheBeginningAndTheFirstEvent(Way way, Scratch scratch)
      throws Exception {
    way.assumeHere();
    for (int i = 0; i < 8; i++) {
      scratch.directory("d" + i);
    }
    AtomicBoolean enough = new AtomicBoolean();
    FutureTask<Void> churn =
        new FutureTask<>(
            () -> {
              for (int turn = 0; !enough.get(); turn++) {
                scratch.tmpfs("d" + turn % 8);
                if (turn >= 4) {
                  scratch.rawUnmount(scratch.path("d" + (turn - 4) % 8), 0);
                }
              }
              return null;
            });
    new Thread(churn, "churn").start();
    Set<MountRef.Identity> now = ConcurrentHashMap.newKeySet();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    AtomicReference<String> contradiction = new AtomicReference<>();
    MountWatch.Watching watching =
        way.start(
            event -> {
              begun.join();
              follow(now, event, contradiction);
            });
    try (watching) {
      watching.start().records().forEach(record -> now.add(record.ref().identity()));
      begun.complete(null);
      enough.set(true);
      churn.get(30, TimeUnit.SECONDS);
      // The table in the watch's own terms: unique or reusable numbers.
      Set<MountRef.Identity> expected = identities(way);

      while (!now.equals(expected)) {
        LockSupport.parkNanos(100_000);
      }
      assertThat(contradiction.get()).isNull();
    }
  }

  @Test
  void lostEventsAreFollowedByTheWholeTable(Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    MountPath source = scratch.tmpfs("source");
    MountPath target = scratch.directory("target");
    try (MountWatch.Watching watching = Way.FANOTIFY.start(told)) {
      told.hold();
      scratch.tmpfs("first");
      told.awaitHeld();
      for (int i = 0; i < 8_500; i++) {
        scratch.bind(source, target);
        scratch.rawUnmount(target, 0);
      }
      MountPath unseen = scratch.tmpfs("unseen");
      told.release();

      assertThat(Told.path(told.next(Attached.class))).isEqualTo(at(scratch, "first"));
      MountSnapshot now = told.next(Resync.class).now();
      assertThat(now.at(unseen)).isPresent();
      assertThat(now.at(target)).isEmpty();
      scratch.rawUnmount(unseen, 0);
      assertThat(told.next(Detached.class).mount()).isEqualTo(now.at(unseen).orElseThrow());
      assertThat(watching.start().at(unseen)).isEmpty();
    }
  }

  @Test
  void aWaitThatTheKernelHasNoMemoryForIsFollowedByTheWholeTable(Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    AtomicInteger waits = new AtomicInteger();
    try (MountWatch.Watching watching =
        watch("poll", () -> waits.incrementAndGet() == 3 ? -Abi.ENOMEM : 0).start(told)) {
      scratch.tmpfs("a");
      assertThat(afterAFailure(told).now().at(at(scratch, "a"))).isPresent();
      MountPath next = scratch.tmpfs("b");
      assertThat(Told.path(told.next(Attached.class))).isEqualTo(next);
      assertThat(watching.start().at(next)).isEmpty();
    }
  }

  @Test
  void aHeapThatIsFullForAMomentIsFollowedByTheWholeTable(Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    AtomicInteger waits = new AtomicInteger();
    IntSupplier full =
        () -> {
          if (waits.incrementAndGet() == 3) {
            throw new OutOfMemoryError("Java heap space");
          }
          return 0;
        };
    try (MountWatch.Watching watching = watch("poll", full).start(told)) {
      scratch.tmpfs("a");
      assertThat(afterAFailure(told).now().at(at(scratch, "a"))).isPresent();
      assertThat(watching.start().at(at(scratch, "a"))).isEmpty();
    }
  }

  /** A watch on a kernel where calls of that name answer this, unless it is 0. */
  private static MountWatch watch(String name, IntSupplier answer) {
    return RunningKernel.watch(FakedCall.sometimes(RunningKernel.kernel(), name, answer));
  }

  @ParameterizedTest
  @EnumSource
  void closingEndsTheThreadAndClosesTheDescriptors(Way way, Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    List<String> descriptors = watchDescriptors();
    Set<Thread> threads = watchThreads();
    MountWatch.Watching watching = way.start(told);
    Set<Thread> more = watchThreads();
    more.removeAll(threads);
    List<String> open = watchDescriptors();

    watching.close();
    watching.close();

    assertThat(more).hasSize(1).allMatch(Thread::isDaemon);
    assertThat(open).containsAll(descriptors).hasSizeGreaterThan(descriptors.size());
    assertThat(watchDescriptors()).isEqualTo(descriptors);
    assertThat(more).noneMatch(Thread::isAlive);
    scratch.tmpfs("a");
    assertThat(told.isEmpty()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aListenerMayCloseTheWatch(Way way, Scratch scratch) throws Exception {
    Set<Thread> threads = watchThreads();
    CompletableFuture<MountWatch.Watching> watching = new CompletableFuture<>();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    Told told = new Told(scratch.root());
    watching.complete(
        way.start(
            event -> {
              told.accept(event);
              watching.join().close();
              closed.complete(null);
            }));
    Set<Thread> more = watchThreads();
    more.removeAll(threads);

    scratch.tmpfs("a");
    scratch.tmpfs("b");
    closed.get(30, TimeUnit.SECONDS);
    for (Thread thread : more) {
      thread.join();
    }

    told.next(Attached.class);
    assertThat(more).hasSize(1);
    assertThat(told.isEmpty()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aListenerThatThrowsIsToldTheNextEvent(Way way, Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    MountWatch.Watching watching =
        way.start(
            event -> {
              told.accept(event);
              throw new IllegalStateException("a listener of the test fails on purpose");
            });
    try (watching) {
      MountPath path = scratch.tmpfs("a");
      told.next(Attached.class);
      scratch.rawUnmount(path, 0);
      assertThat(told.next(Detached.class).mount().path()).isEqualTo(path);
    }
  }

  @Test
  void theSourceSaysWhyItIsNotTheBest(Scratch scratch) throws Exception {
    Told told = new Told(scratch.root());
    try (MountWatch.Watching best = Way.FANOTIFY.start(told);
        MountWatch.Watching older = Way.POLL.start(told);
        MountWatch.Watching filtered = Way.FILTERED.start(told)) {
      assertThat(best.source())
          .isEqualTo("fanotify for mounts that come and go, poll of the text table for changes");
      assertThat(older.source())
          .isEqualTo(
              "poll of the text table, which is read again when it changes (the test does"
                  + " without)");
      assertThat(filtered.source()).endsWith("(fanotify_init answers EPERM)");
    }
  }

  /**
   * Whom a watch names as the actor if another process was: nobody where the kernel says only who
   * came, not who did it, and nobody to an ordinary user, from whom it hides all but himself.
   */
  private static OptionalLong another(Way way, long pid) {
    boolean isRoot = "root".equals(System.getenv("MOUNT_TEST_MODE"));
    return way == Way.FANOTIFY && isRoot ? OptionalLong.of(pid) : NOBODY;
  }

  private static OptionalLong myself() {
    return OptionalLong.of(ProcessHandle.current().pid());
  }

  private static MountPath at(Scratch scratch, String relative) {
    return scratch.path(relative);
  }

  /** Runs a program in the mount namespace of the calling thread; returns what pid it had. */
  private static long run(String program, MountPath path) throws Exception {
    Process process =
        new ProcessBuilder(program, path.toPath().toString()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return process.pid();
  }

  private static void follow(
      Set<MountRef.Identity> now, MountEvent event, AtomicReference<String> contradiction) {
    if (event instanceof Attached attached && !now.add(attached.mount().ref().identity())) {
      contradiction.set("attached twice: " + attached);
    }
    if (event instanceof Detached detached && !now.remove(detached.mount().ref().identity())) {
      contradiction.set("detached without being there: " + detached);
    }
    if (event instanceof Resync resync) {
      now.clear();
      resync.now().records().forEach(record -> now.add(record.ref().identity()));
    }
  }

  private static Set<MountRef.Identity> identities(Way way) throws Exception {
    try (MountWatch.Watching other = way.start(event -> {})) {
      Set<MountRef.Identity> identities = new HashSet<>();
      for (MountRecord record : other.start().records()) {
        identities.add(record.ref().identity());
      }
      return identities;
    }
  }

  /** The next resync; the pause of a watch after a failure is cut short. */
  private static Resync afterAFailure(Told told) {
    MountEvent event;
    do {
      watchThreads().forEach(LockSupport::unpark);
      event = told.next();
    } while (!(event instanceof Resync));
    return (Resync) event;
  }

  private static Set<Thread> watchThreads() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(thread -> !thread.getName().startsWith("csi4j-mount-watch-"));
    return threads;
  }

  /** The open descriptors of the kinds that a watch has; the JVM opens others when it likes. */
  private static List<String> watchDescriptors() throws IOException {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path each : all) {
        try {
          String link = Files.readSymbolicLink(each).toString();
          if (link.contains("fanotify")
              || link.contains("eventfd")
              || link.endsWith("/mountinfo")) {
            found.add(each.getFileName() + " " + link);
          }
        } catch (NoSuchFileException e) {
          // The descriptor of this listing, or of another thread.
        }
      }
    }
    Collections.sort(found);
    return found;
  }
}
