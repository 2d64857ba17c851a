package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiCancelledException.Reason;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.grpc.Context;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls that end because of the clock or the host: what the caller sees, and what the plugin. */
class CancellationTest extends AgainstScriptedPlugin {

  private static final CsiOperation OPERATION = CsiOperation.NODE_UNPUBLISH_VOLUME;

  private static CsiCancelledException cancelled(CompletableFuture<?> result) {
    CompletionException thrown = catchThrowableOfType(CompletionException.class, result::join);
    assertThat(thrown).hasCauseInstanceOf(CsiCancelledException.class);
    return (CsiCancelledException) thrown.getCause();
  }

  private static CompletableFuture<Void> unpublish(CsiPlugin plugin) {
    return plugin.node().async().unpublishVolume(UNPUBLISH).toCompletableFuture();
  }

  @Test
  void aHangingPluginIsGivenUpAtTheDeadlineAndToldSo() {
    CountDownLatch gone = hang(OPERATION);
    CsiPlugin plugin = connect();
    CsiTransientException failure =
        catchThrowableOfType(
            CsiTransientException.class,
            () ->
                plugin
                    .node()
                    .with(policy -> policy.attempts(1).attemptDeadline(Duration.ofMillis(100)))
                    .unpublishVolume(UNPUBLISH));
    assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(failure.attempts()).isEqualTo(1);
    assertThat(failure.failure().pluginText()).isEmpty();
    reached(gone);
  }

  @Test
  void anInterruptEndsABlockedCallAndTellsThePlugin() throws Exception {
    CountDownLatch gone = hang(OPERATION);
    CsiPlugin plugin = connect();
    CompletableFuture<CsiCancelledException> failure = new CompletableFuture<>();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              failure.complete(
                  catchThrowableOfType(
                      CsiCancelledException.class, () -> plugin.node().unpublishVolume(UNPUBLISH)));
              flag.complete(Thread.currentThread().isInterrupted());
            });
    caller.start();
    arrived(OPERATION, 1);
    caller.interrupt();
    assertThat(failure.get().reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(failure.get().code()).isEqualTo(StatusCode.CANCELLED);
    assertThat(failure.get().outcome()).isEqualTo(Outcome.UNCERTAIN);
    assertThat(flag.get()).isTrue();
    reached(gone);
    caller.join();
  }

  @Test
  void aThreadThatIsInterruptedAlreadySendsNothing() {
    CsiPlugin plugin = connect();
    scripted.forget();
    Thread.currentThread().interrupt();
    CsiCancelledException failure =
        catchThrowableOfType(
            CsiCancelledException.class, () -> plugin.node().unpublishVolume(UNPUBLISH));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure.reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(failure.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(failure.attempts()).isZero();
    assertThat(scripted.calls()).isEmpty();
  }

  @Test
  void cancellingAStageCancelsTheCall() {
    CountDownLatch gone = hang(OPERATION);
    CompletableFuture<Void> call = unpublish(connect());
    arrived(OPERATION, 1);
    assertThat(call.cancel(true)).isTrue();
    assertThat(call).isCancelled();
    reached(gone);
    assertThat(call.cancel(true)).isTrue();
    assertThat(scripted.calls(OPERATION)).hasSize(1);
  }

  @Test
  void cancellingAStageDuringAPauseForbidsTheRetry() {
    scripted.fail(OPERATION, StatusCode.ABORTED, "pending");
    EndsRecorder ends = new EndsRecorder();
    CsiPlugin plugin = connect(options -> options.listener(ends));
    CompletableFuture<Void> call =
        plugin
            .node()
            .with(policy -> policy.attempts(9).pendingBackoff(Duration.ofMillis(1)))
            .async()
            .unpublishVolume(UNPUBLISH)
            .toCompletableFuture();
    arrived(OPERATION, 1);
    assertThat(call.cancel(false) || call.isDone()).isTrue();
    eventually(ends::isQuiet);
    int sent = scripted.calls(OPERATION).size();
    for (int i = 0; i < 5; i++) {
      plugin.identity().probe();
    }
    assertThat(scripted.calls(OPERATION)).hasSize(sent);
  }

  @Test
  void closingEndsCallsOfEveryKindAtOnce() {
    CsiPlugin plugin = connect(options -> options.closeTimeout(Duration.ofSeconds(10)));
    plugin.node().unpublishVolume(UNPUBLISH);
    CountDownLatch gone = hang(OPERATION);
    scripted.fail(CsiOperation.DELETE_VOLUME, StatusCode.ABORTED, "pending");
    CompletableFuture<Void> inFlight = unpublish(plugin);
    CompletableFuture<Void> pausing =
        plugin
            .controller()
            .with(
                policy ->
                    policy
                        .pendingBackoff(Duration.ofHours(1))
                        .backoffCap(Duration.ofHours(1))
                        .budget(Duration.ofDays(1)))
            .async()
            .deleteVolume(DELETE)
            .toCompletableFuture();
    CompletableFuture<Void> blocked =
        CompletableFuture.runAsync(() -> plugin.node().unpublishVolume(UNPUBLISH));
    arrived(OPERATION, 3);
    arrived(CsiOperation.DELETE_VOLUME, 1);

    plugin.close();

    assertThat(ourThreads()).isEmpty();
    for (CompletableFuture<?> each : List.of(inFlight, pausing, blocked)) {
      CsiCancelledException failure = cancelled(each);
      assertThat(failure.reason()).isEqualTo(Reason.CLOSED);
      assertThat(failure.outcome()).isEqualTo(Outcome.UNCERTAIN);
    }
    reached(gone);
    CsiCancelledException later =
        catchThrowableOfType(
            CsiCancelledException.class, () -> plugin.node().unpublishVolume(UNPUBLISH));
    assertThat(later.reason()).isEqualTo(Reason.CLOSED);
    assertThat(later.outcome()).isEqualTo(Outcome.SETTLED);
    assertThat(later.attempts()).isZero();
    assertThat(cancelled(unpublish(plugin)).reason()).isEqualTo(Reason.CLOSED);
    plugin.close();
    assertThat(ourThreads()).isEmpty();
  }

  @Test
  void aPluginMayBeClosedFromACallback() {
    CsiPlugin plugin = connect();
    CountDownLatch attached = new CountDownLatch(1);
    scripted.on(
        OPERATION,
        (call, reply) -> {
          attached.await();
          reply.ok(ScriptedPlugin.defaultAnswer(OPERATION, call.request()));
        });
    CompletableFuture<Void> closing =
        unpublish(plugin).thenRun(plugin::close).thenRun(() -> assertThat(isOurs()).isTrue());
    attached.countDown();
    closing.join();
    eventually(() -> ourThreads().isEmpty());
  }

  private static boolean isOurs() {
    return Thread.currentThread().getName().startsWith("csi4j-callback-");
  }

  @Test
  void aContextOfTheHostsOwnGrpcDoesNotTouchCalls() {
    CsiPlugin plugin = connect();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (Context.CancellableContext context =
        Context.current().withDeadline(Deadline.after(5, TimeUnit.SECONDS), timer)) {
      context.run(() -> plugin.node().unpublishVolume(UNPUBLISH));
      assertThat(scripted.calls(OPERATION).get(0).timeout()).isGreaterThan(Duration.ofSeconds(100));
      context.cancel(new IllegalStateException("the host's own"));
      context.run(() -> plugin.node().unpublishVolume(UNPUBLISH));
    } finally {
      timer.shutdownNow();
    }
    assertThat(scripted.calls(OPERATION)).hasSize(2);
  }

  @Test
  void noLongerDeadlineIsSentThanTheGrpcOfNodeCanCount() {
    CsiPlugin plugin = connect();
    Duration century = Duration.ofDays(36_500);
    plugin
        .node()
        .with(policy -> policy.attemptDeadline(century).budget(century))
        .unpublishVolume(UNPUBLISH);
    assertThat(scripted.calls(OPERATION).get(0).timeout())
        .isBetween(Duration.ofDays(24), Duration.ofMillis(Integer.MAX_VALUE));
  }

  /** Counts what has begun and not ended. */
  private static final class EndsRecorder implements CsiListener {
    private final List<Started> open = new ArrayList<>();

    @Override
    public synchronized void onStart(Started event) {
      open.add(event);
    }

    @Override
    public synchronized void onEnd(Ended event) {
      open.remove(event.started());
    }

    synchronized boolean isQuiet() {
      return open.isEmpty();
    }
  }
}
