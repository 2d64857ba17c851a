package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.CleanupResult;
import io.csi4j.mount.model.CleanupResult.Outcome;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountSettings;
import io.csi4j.mount.model.UnmountPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * That no operation waits for a volume whose server hangs, although whoever looks at it the usual
 * way waits for ever.
 */
@MountTest
@NeedsRoot("/dev/fuse")
class HungVolumeTest {

  private static final int STATX_BASIC = 0x7ff;
  private static final UnmountPolicy ONCE = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final MountTable table = MountTable.system();
  private final Mounts mounts = Mounts.system(new MountSettings(Duration.ofSeconds(10), 4));

  @Test
  void everyOperationReturnsAndNoThreadIsLeftBehind(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      CompletableFuture<Integer> waits = new CompletableFuture<>();
      Thread sacrificed = new Thread(() -> waits.complete(look(server.target())), "sacrificed");
      sacrificed.setDaemon(true);
      sacrificed.start();
      server.awaitUnanswered(1);
      assertThat(inTheKernel()).contains("sacrificed");

      MountPath path = server.target();
      MountProbe probe = soon(() -> table.probe(path));
      MountRecord record = soon(() -> table.find(path)).orElseThrow();
      assertThat(probe).isEqualTo(new MountProbe.Mounted(record.ref(), MountProbe.Health.UNKNOWN));
      assertThat(soon(() -> table.list(each -> each.path().equals(path))).records())
          .containsExactly(record);
      assertThat(soon(() -> table.check(record.ref()))).isEqualTo(new MountRef.Check.Present());
      assertThat(soon(() -> table.children(record.ref()))).isEmpty();
      assertThat(soon(() -> mounts.whoHolds(record.ref())).found()).isEmpty();
      MountException busy = soon(() -> failure(() -> mounts.unmount(path, ONCE)));
      assertThat(busy.reason()).isEqualTo(Reason.BUSY);
      CleanupResult kept = soon(() -> mounts.cleanup(path, ONCE));
      assertThat(kept.outcome()).isEqualTo(Outcome.STILL_MOUNTED);

      assertThat(server.unanswered()).as("the server was asked by the sacrificed only").isOne();
      assertThat(waits).isNotDone();
      assertNoThreadOfTheModuleWaits();

      CleanupResult removed = soon(() -> mounts.cleanup(path, ONCE.withForce()));
      assertThat(removed.outcome()).isEqualTo(Outcome.REMOVED);
      assertThat(waits.get(20, TimeUnit.SECONDS)).isEqualTo(-Abi.ECONNABORTED);
      assertNoThreadOfTheModuleWaits();
    }
  }

  @Test
  void aLookWithoutFlagsWaitsWhereTheModulesLooksDoNot(Scratch scratch) throws Exception {
    CompletableFuture<Integer> waits = new CompletableFuture<>();
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.hang();
      Thread thread = new Thread(() -> waits.complete(look(server.target())), "sacrificed");
      thread.setDaemon(true);
      thread.start();
      server.awaitUnanswered(1);

      assertThat(inTheKernel()).contains("sacrificed");
      assertThat(waits).isNotDone();
    }
    assertThat(waits.get(20, TimeUnit.SECONDS)).isEqualTo(-Abi.ECONNABORTED);
  }

  @Test
  void everyOperationReturnsOnADeadOneToo(Scratch scratch) throws Exception {
    try (FuseServer server = FuseServer.mount(scratch.directory("v"))) {
      server.die();
      MountPath path = server.target();

      MountRecord record = soon(() -> table.find(path)).orElseThrow();
      assertThat(soon(() -> table.probe(path)).isMount()).isTrue();
      assertThat(soon(() -> table.check(record.ref()))).isEqualTo(new MountRef.Check.Present());
      assertThat(soon(() -> mounts.whoHolds(record.ref())).found()).isEmpty();
      assertThat(soon(() -> mounts.cleanup(path, ONCE)).outcome()).isEqualTo(Outcome.REMOVED);
      assertNoThreadOfTheModuleWaits();
    }
  }

  private int look(MountPath path) {
    byte[] out = new byte[Abi.STATX_SIZE];
    return calls.statx(Abi.AT_FDCWD, Abi.path(path), 0, STATX_BASIC, out);
  }

  private void assertNoThreadOfTheModuleWaits() {
    assertThat(mounts.stuckCalls()).isZero();
    assertThat(inTheKernel()).noneMatch(name -> name.startsWith("csi4j-"));
  }

  /** The names of the threads that are in a system call of the module, by their stacks. */
  private static List<String> inTheKernel() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(
            each ->
                Stream.of(each.getValue())
                    .anyMatch(frame -> frame.getClassName().contains("LibcSyscalls")))
        .map(each -> each.getKey().getName())
        .toList();
  }

  /** What a call gives, made where it may hang without harm. */
  private static <T> T soon(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "must-return");
    thread.setDaemon(true);
    thread.start();
    return task.get(20, TimeUnit.SECONDS);
  }

  private static MountException failure(Runnable call) {
    try {
      call.run();
    } catch (MountException e) {
      return e;
    }
    throw new AssertionError("it did not fail");
  }
}
