package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.change.UnmountSteps.Pauser;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holder.Use;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.mount.model.UnmountResult.Step;
import io.csi4j.mount.real.Eventually;
import io.csi4j.mount.real.FuseServer;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.NeedsRoot;
import io.csi4j.mount.real.NeedsUniqueIds;
import io.csi4j.mount.real.NeedsUserNamespace;
import io.csi4j.mount.real.Neighbour;
import io.csi4j.mount.real.Open;
import io.csi4j.mount.real.OpenDescriptors;
import io.csi4j.mount.real.Scratch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Cases U of the mount facts. */
@MountTest
class UnmountTest {

  private static final UnmountPolicy ONCE = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);
  private static final int STATX_BASIC = 0x7ff;

  private final Kernel kernel = RunningKernel.kernel();
  private final MountTable table = MountTable.system();
  private final Mounts mounts = Mounts.system();

  @Test
  void theMountThatWasTakenAwayIsNamed(Scratch scratch) {
    MountPath path = scratch.tmpfs("a b");
    MountRef ref = ref(path);

    assertThat(mounts.unmount(path, ONCE))
        .isEqualTo(new UnmountResult(Step.PLAIN, Optional.of(ref), 1, false));
    assertThat(scratch.rows(path)).isEmpty();
  }

  @Test
  void aMountOnAFileIsTakenAwayToo(Scratch scratch) {
    MountPath file = scratch.file("f", "");
    scratch.bind(scratch.file("source", "data"), file);

    assertThat(mounts.unmount(file, ONCE).step()).isEqualTo(Step.PLAIN);
    assertThat(scratch.rows(file)).isEmpty();
  }

  @Test
  void whereNothingIsMountedNothingIsDone(Scratch scratch) {
    UnmountResult nothing = new UnmountResult(Step.NOT_MOUNTED, Optional.empty(), 1, false);

    assertThat(mounts.unmount(scratch.directory("d"), ONCE)).isEqualTo(nothing);
    assertThat(mounts.unmount(scratch.file("f", "x"), ONCE)).isEqualTo(nothing);
    assertThat(mounts.unmount(scratch.path("missing"), ONCE)).isEqualTo(nothing);
    assertThat(mounts.unmount(scratch.path("missing/below"), ONCE)).isEqualTo(nothing);
    assertThat(mounts.unmount(scratch.path("f/below"), ONCE)).isEqualTo(nothing);
    assertThat(mounts.unmount(scratch.path("f/below/it"), ONCE)).isEqualTo(nothing);
  }

  @Test
  void theLinkToAMountIsRefusedAndTheMountStays(Scratch scratch) throws Exception {
    MountPath mount = scratch.tmpfs("v");
    scratch.tmpfs("v/child");
    Files.createSymbolicLink(scratch.file("link"), scratch.file("v"));

    for (String relative : List.of("link", "link/", "link/child")) {
      MountException refused =
          refused(() -> mounts.unmount(scratch.path(relative), UnmountPolicy.PLAIN.withLazy()));

      assertThat(refused.reason()).as(relative).isEqualTo(Reason.SYMLINK);
    }
    assertThat(scratch.rows(mount)).hasSize(1);
    assertThat(scratch.rows(scratch.path("v/child"))).hasSize(1);
  }

  @Test
  void theRootDirectoryIsRefusedForTheKernelWouldMakeItReadOnly() {
    MountException refused = refused(() -> mounts.unmount(MountPath.ROOT, ONCE));

    assertThat(refused.reason()).isEqualTo(Reason.NOT_PERMITTED);
    assertThat(refused.syscall()).isEmpty();
  }

  @Test
  void aMountOutsideOfTheTrustedDirectoryIsRefused(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    MountPath base = scratch.directory("base");

    MountException refused = refused(() -> mounts.beneath(base).unmount(mount, ONCE));

    assertThat(refused.reason()).isEqualTo(Reason.OUTSIDE);
    assertThat(scratch.rows(mount)).hasSize(1);
  }

  @Test
  @NeedsUserNamespace
  void aMountOfTheNamespaceAboveIsLocked(Scratch scratch) {
    MountException refused = refused(() -> mounts.unmount(MountPath.of("/proc"), ONCE));

    assertThat(refused.reason()).isEqualTo(Reason.NOT_PERMITTED);
    assertThat(refused.errno()).contains(new Errno(Abi.EINVAL));
    assertThat(refused).hasMessageContaining("which locks it");
  }

  @Test
  void oneThatIsBusyAndFreedWithinTheLimitIsTakenAway(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    Open open = Open.path(mount);
    Unmounter unmounter = unmounter(new FreesAfter(3, open));

    UnmountResult result = unmounter.unmount(mount, UnmountPolicy.PLAIN);

    assertThat(result.step()).isEqualTo(Step.PLAIN);
    assertThat(result.attempts()).isEqualTo(4);
  }

  @Test
  void oneThatStaysBusyIsRefusedNamingItsHolders(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "");
    try (Open ignored = Open.reading(scratch.path("v/f"));
        Neighbour neighbour = Neighbour.here()) {
      neighbour.run("cd " + mount);
      Unmounter unmounter = unmounter(new FreesAfter(Integer.MAX_VALUE, ignored));

      MountException refused = refused(() -> unmounter.unmount(mount, UnmountPolicy.PLAIN));

      assertThat(refused.reason()).isEqualTo(Reason.BUSY);
      assertThat(refused.errno()).contains(new Errno(Abi.EBUSY));
      assertThat(refused.target()).contains(mount);
      assertThat(uses(refused, ProcessHandle.current().pid())).containsExactly(Use.OPEN_FILE);
      assertThat(uses(refused, neighbour.pid())).containsExactly(Use.WORKING_DIRECTORY);
      assertThat(refused)
          .hasMessageContaining("process " + neighbour.pid() + " (sh: [WORKING_DIRECTORY])")
          .hasMessageContaining("[umount2, EBUSY (16)]");
      assertThat(scratch.rows(mount)).hasSize(1);
      neighbour.run("cd /");
    }
  }

  @Test
  void aFileThatIsOpenInAContainerIsFoundByItsNamespace(Scratch scratch) {
    scratch.rawMount("none", scratch.file(""), "none", Abi.MS_SHARED, null);
    MountPath mount = scratch.tmpfs("v");
    scratch.file("v/f", "");
    try (Neighbour neighbour = Neighbour.elsewhere("slave")) {
      neighbour.run("exec 3<" + scratch.path("v/f"));

      MountException refused = refused(() -> mounts.unmount(mount, ONCE));

      assertThat(refused.reason()).isEqualTo(Reason.BUSY);
      assertThat(refused.holders().orElseThrow().found())
          .singleElement()
          .isInstanceOfSatisfying(
              Holder.Elsewhere.class,
              elsewhere -> {
                assertThat(elsewhere.pid()).isEqualTo(neighbour.pid());
                assertThat(elsewhere.path()).isEqualTo(mount);
                assertThat(elsewhere.command().is("sh")).isTrue();
              });
    }
  }

  @Test
  void aStackIsTakenAwayFromItsTop(Scratch scratch) {
    MountPath path = scratch.directory("v");
    List<MountRef> stack = stack(scratch, path, 3);

    for (int i = 2; i >= 0; i--) {
      assertThat(mounts.unmount(path, ONCE).mount()).contains(stack.get(i));
    }
    assertThat(mounts.unmount(path, ONCE).step()).isEqualTo(Step.NOT_MOUNTED);
  }

  @Test
  void aMountWithAnotherBelowItIsBusyAndNamesIt(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    MountRecord child = table.find(scratch.tmpfs("v/child")).orElseThrow();

    MountException refused = refused(() -> mounts.unmount(mount, ONCE));

    assertThat(refused.reason()).isEqualTo(Reason.BUSY);
    assertThat(refused.holders().orElseThrow().found()).containsExactly(new Holder.Child(child));
  }

  @Test
  void lazilyItGoesWithAllBelowItAndTheDeviceMayBeBusy(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    scratch.tmpfs("v/child");
    MountRef ref = ref(mount);

    assertThat(mounts.unmount(mount, ONCE.withLazy()))
        .isEqualTo(new UnmountResult(Step.LAZY, Optional.of(ref), 2, true));
    assertThat(scratch.rows(mount)).isEmpty();
    assertThat(scratch.rows(scratch.path("v/child"))).isEmpty();
  }

  @Test
  void forceTakesNothingFromWhomeverUsesALivingFilesystem(Scratch scratch) {
    MountPath mount = scratch.tmpfs("v");
    try (Open ignored = Open.path(mount)) {
      Unmounter unmounter = unmounter(new FreesAfter(Integer.MAX_VALUE, ignored));

      MountException refused = refused(() -> unmounter.unmount(mount, ONCE.withForce()));

      assertThat(refused.reason()).isEqualTo(Reason.BUSY);
      assertThat(scratch.rows(mount)).hasSize(1);
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aDeadOneIsTakenAwayPlainly(Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.die();

      assertThat(mounts.unmount(server.target(), ONCE).step()).isEqualTo(Step.PLAIN);
      assertThat(scratch.rows(server.target())).isEmpty();
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aHungOneThatNobodyWaitsForIsTakenAwayPlainly(Scratch scratch) {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();

      assertThat(mounts.unmount(server.target(), ONCE).step()).isEqualTo(Step.PLAIN);
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aHungOneIsBusyUntilForceFreesWhoeverWaitsForIt(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      CompletableFuture<Integer> waits = look(server.target());
      server.awaitUnanswered(1);
      MountRef ref = ref(server.target());

      assertThat(refused(() -> mounts.unmount(server.target(), ONCE)).reason())
          .isEqualTo(Reason.BUSY);
      assertThat(waits).isNotDone();

      UnmountResult result = mounts.unmount(server.target(), ONCE.withForce());

      assertThat(result.step()).isEqualTo(Step.FORCED);
      assertThat(result.mount()).contains(ref);
      assertThat(result.deviceMayBeBusy()).isFalse();
      assertThat(waits.get(20, TimeUnit.SECONDS)).isEqualTo(-Abi.ECONNABORTED);
      assertThat(scratch.rows(server.target())).isEmpty();
    }
  }

  @Test
  void ofTwoThreadsOneIsToldThatItDidIt(Scratch scratch) throws Exception {
    for (int round = 0; round < 50; round++) {
      MountPath path = scratch.tmpfs("v");
      List<UnmountResult> results = atOnce(2, () -> mounts.unmount(path, ONCE));

      assertThat(results)
          .extracting(UnmountResult::step)
          .containsExactlyInAnyOrder(Step.PLAIN, Step.NOT_MOUNTED);
    }
  }

  @Test
  void threadsThatTakeAStackAwayAreEachToldAnotherMount(Scratch scratch) throws Exception {
    MountPath path = scratch.directory("v");
    for (int round = 0; round < 20; round++) {
      List<MountRef> stack = stack(scratch, path, 16);

      List<UnmountResult> results = atOnce(16, () -> mounts.unmount(path, ONCE));

      Set<MountRef> named = new HashSet<>();
      results.forEach(result -> named.add(result.mount().orElseThrow()));
      assertThat(named).hasSameElementsAs(stack);
    }
  }

  @Test
  void theMountOfAReferenceIsTakenAwayOnce(Scratch scratch) {
    MountPath path = scratch.tmpfs("v");
    MountRef ref = ref(path);

    assertThat(mounts.unmount(ref, ONCE).mount()).contains(ref);
    assertThat(mounts.unmount(ref, ONCE).step()).isEqualTo(Step.NOT_MOUNTED);
  }

  @Test
  void theMountOfAReferenceIsTakenAwayAfterItsSourceWasDeleted(Scratch scratch) throws Exception {
    for (Rung rung : Rung.values()) {
      MountPath source = scratch.directory("source");
      MountPath target = scratch.directory("target");
      scratch.bind(source, target);
      rung.run(
          (mounts, kernel) -> {
            KernelTable table = new KernelTable(kernel);
            MountRef before = table.find(target).orElseThrow().ref();
            Files.delete(scratch.file("source"));

            assertThat(mounts.whoHolds(before).found()).as("%s", rung).isNotEmpty();
            assertThat(mounts.unmount(before, ONCE).mount()).as("%s", rung).contains(before);
          });
    }
  }

  @Test
  void whatNobodyWaitsForAnyMoreDoesNotBegin(Scratch scratch) throws Exception {
    MountPath mount = scratch.tmpfs("v");
    MountPath directory = scratch.directory("d");
    List<String> before = scratch.rows(mount);
    assertAbandoned(1, late -> late.unmount(mount, ONCE));
    assertAbandoned(1, late -> late.setReadOnly(mount, false));
    assertAbandoned(1, late -> late.setPropagation(mount, Propagation.BIDIRECTIONAL, false));
    assertAbandoned(2, late -> late.cleanup(directory, ONCE));

    assertThat(scratch.rows(mount)).isEqualTo(before);
    assertThat(scratch.file("d")).isDirectory();
  }

  /** That the call is given up while it walks for that time, and ends later. */
  private static void assertAbandoned(int walk, Consumer<Mounts> call) {
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger walks = new AtomicInteger();
    Kernel slow =
        FakedCall.before(
            RunningKernel.kernel(),
            "openat2",
            () -> {
              if (walks.incrementAndGet() == walk) {
                try {
                  goOn.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
            });
    Mounts late =
        RunningKernel.mounts(
            slow,
            new KernelTable(RunningKernel.kernel()),
            new MountSettings(Duration.ofMillis(200), 2));

    assertThat(refused(() -> call.accept(late)).reason()).isEqualTo(Reason.DEADLINE);
    goOn.countDown();
    Eventually.isTrue("the call came back", () -> late.stuckCalls() == 0);
  }

  @Test
  @NeedsUniqueIds
  void anotherMountAtThePathOfAReferenceStays(Scratch scratch) {
    MountPath path = scratch.tmpfs("v");
    MountRef gone = ref(path);
    scratch.rawUnmount(path, 0);
    scratch.tmpfs("v");
    MountRecord other = table.find(path).orElseThrow();

    MountException refused =
        refused(() -> mounts.unmount(gone, UnmountPolicy.PLAIN.withForce().withLazy()));

    assertThat(refused.reason()).isEqualTo(Reason.TARGET_OCCUPIED);
    assertThat(refused.occupant()).contains(other);
    assertThat(table.find(path)).contains(other);
  }

  @Test
  void aMountOnTopOfAReferencesStays(Scratch scratch) {
    MountPath path = scratch.directory("v");
    List<MountRef> stack = stack(scratch, path, 2);

    MountException refused = refused(() -> mounts.unmount(stack.get(0), ONCE.withLazy()));

    assertThat(refused.reason()).isEqualTo(Reason.TARGET_OCCUPIED);
    assertThat(refused.occupant().map(MountRecord::ref)).contains(stack.get(1));
    assertThat(scratch.rows(path)).hasSize(2);
  }

  @Test
  void aReferencesMountThatWasMovedStaysAndIsToldWhere(Scratch scratch) throws Exception {
    scratch.tmpfs("above/v");
    MountRef ref = ref(scratch.path("above/v"));
    Files.move(scratch.file("above"), scratch.file("renamed"));

    MountException refused = refused(() -> mounts.unmount(ref, ONCE.withLazy()));

    assertThat(refused.reason()).isEqualTo(Reason.NOT_A_MOUNT);
    assertThat(refused).hasMessageContaining(" is at " + scratch.path("renamed/v") + " now");
    assertThat(scratch.rows(scratch.path("renamed/v"))).hasSize(1);
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void aCallThatHangsIsNotWaitedForLongerThanTheDeadline(Scratch scratch) {
    Mounts impatient = Mounts.system(new MountSettings(Duration.ofMillis(100), 2));
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      MountPath below = server.target().resolve("below");

      assertThat(refused(() -> impatient.unmount(below, ONCE)).reason()).isEqualTo(Reason.DEADLINE);
      assertThat(impatient.stuckCalls()).isEqualTo(1);

      server.recover();
      Eventually.isTrue("the call came back", () -> impatient.stuckCalls() == 0);
    }
  }

  @Test
  @NeedsRoot("/dev/fuse")
  void virtualThreadsThatWaitForAHungCallLeaveTheirCarriersToOthers(Scratch scratch)
      throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with Java 21");
    ExecutorService virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    List<Future<UnmountResult>> hanging = new ArrayList<>();
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
        MountPath below = server.target().resolve("below-" + i);
        hanging.add(virtual.submit(() -> mounts.unmount(below, ONCE)));
      }
      server.awaitUnanswered(1);

      assertThat(virtual.submit(() -> "others run").get(20, TimeUnit.SECONDS))
          .isEqualTo("others run");
      assertThat(hanging).noneMatch(Future::isDone);

      server.recover();
      for (Future<UnmountResult> each : hanging) {
        assertThat(each.get(20, TimeUnit.SECONDS).step()).isEqualTo(Step.NOT_MOUNTED);
      }
    } finally {
      virtual.shutdown();
    }
  }

  @Test
  void withoutProcTheMountIsNotTakenForMissing(Scratch scratch) throws Exception {
    MountPath mount = scratch.tmpfs("v");
    Callable<MountException> work =
        () -> {
          LibcForTests.unshareMounts();
          scratch.rawMount("tmpfs", Path.of("/proc"), "tmpfs", 0, null);
          // A pool of its own begins its threads in this thread's namespace.
          Mounts withoutProc = Mounts.system(new MountSettings(Duration.ofSeconds(20), 1));
          return refused(() -> withoutProc.unmount(mount, ONCE));
        };
    FutureTask<MountException> task = new FutureTask<>(work);
    new Thread(task, "without-proc").start();

    assertThat(task.get(20, TimeUnit.SECONDS).reason()).isEqualTo(Reason.NO_MOUNT_TABLE);
  }

  @Test
  void noDescriptorIsLeftOpen(Scratch scratch) {
    mounts.unmount(scratch.tmpfs("v"), ONCE);
    OpenDescriptors descriptors = new OpenDescriptors();

    for (int i = 0; i < 20; i++) {
      mounts.unmount(scratch.tmpfs("v"), ONCE);
      mounts.unmount(scratch.path("v"), ONCE);
      mounts.unmount(scratch.path("missing/x"), ONCE);
    }

    descriptors.assertNoneLeft();
  }

  private List<MountRef> stack(Scratch scratch, MountPath path, int height) {
    List<MountRef> stack = new ArrayList<>();
    for (int i = 0; i < height; i++) {
      scratch.rawMount("level-" + i, path.toPath(), "tmpfs", 0, null);
      stack.add(ref(path));
    }
    return stack;
  }

  private MountRef ref(MountPath path) {
    return table.find(path).orElseThrow().ref();
  }

  private Unmounter unmounter(Pauser pauser) {
    Walk walk = new Walk(kernel, MountPath.ROOT);
    MountCallPool pool = new MountCallPool(MountSettings.DEFAULT);
    TargetTurns turns = new TargetTurns(MountSettings.DEFAULT.deadline());
    return new Unmounter(kernel, new KernelTable(kernel), walk, pool, turns, pauser);
  }

  private CompletableFuture<Integer> look(MountPath path) {
    CompletableFuture<Integer> looked = new CompletableFuture<>();
    byte[] out = new byte[Abi.STATX_SIZE];
    Thread thread =
        new Thread(
            () ->
                looked.complete(
                    kernel.calls().statx(Abi.AT_FDCWD, Abi.path(path), 0, STATX_BASIC, out)),
            "sacrificed");
    thread.setDaemon(true);
    thread.start();
    return looked;
  }

  private static <T> List<T> atOnce(int threads, Callable<T> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : pool.invokeAll(java.util.Collections.nCopies(threads, work))) {
        results.add(each.get());
      }
      return results;
    } finally {
      pool.shutdown();
    }
  }

  private static Set<Use> uses(MountException e, long pid) {
    return e.holders().orElseThrow().found().stream()
        .filter(holder -> holder instanceof Holder.RunningProcess process && process.pid() == pid)
        .map(holder -> ((Holder.RunningProcess) holder).uses())
        .findFirst()
        .orElse(Set.of());
  }

  private static MountException refused(ThrowingCallable call) {
    return assertThatExceptionOfType(MountException.class).isThrownBy(call).actual();
  }

  /** Time that passes by being waited for, in which a mount is freed after some pauses. */
  private static final class FreesAfter implements Pauser {

    private final Open open;
    private int pausesLeft;
    private long now;

    FreesAfter(int pauses, Open open) {
      this.pausesLeft = pauses;
      this.open = open;
    }

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void pause(long nanos) {
      now += nanos;
      if (--pausesLeft == 0) {
        open.close();
      }
    }
  }
}
