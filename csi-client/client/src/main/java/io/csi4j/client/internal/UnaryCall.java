package io.csi4j.client.internal;

import com.google.protobuf.Message;
import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import io.csi4j.client.internal.mapping.AnswerFindings;
import io.csi4j.client.internal.mapping.UnusableAnswerException;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One call with all its attempts.
 *
 * <p>The first attempt runs by itself; Failsafe is entered only once it has failed. Attempts follow
 * one another, so the plain fields below need no lock.
 */
final class UnaryCall<Q extends Message, A extends Message, R extends @Nullable Object>
    implements Endable {

  /** A peer that ends its connection after every answer can never be held to one connection. */
  private static final int MOST_ADMISSIONS = 3;

  private final CallPath path;
  private final UnaryRpc<?, Q, A, R> rpc;
  private final Q request;
  private final CallPolicy policy;
  private final @Nullable Executor executor;
  private final boolean gated;
  private final long id;
  private final long began;
  private final CallFuture<R> result =
      new CallFuture<>(() -> end(CsiCancelledException.Reason.CANCELLED));
  private final List<CsiException> earlier = new ArrayList<>(0);

  private volatile int sent;
  private int admissions;
  private boolean resent;
  private boolean uncertain;
  private boolean explained;
  private Duration pause = Duration.ZERO;
  private volatile @Nullable CallAttempt<Q, A> running;
  private volatile @Nullable CompletableFuture<R> retrying;
  private volatile CsiCancelledException.@Nullable Reason ended;

  /**
   * A call that is not begun yet.
   *
   * @param executor where answers are taken in and retries sent off; null for the I/O thread
   * @param gated whether the plugin has to offer the call first
   */
  UnaryCall(
      CallPath path,
      UnaryRpc<?, Q, A, R> rpc,
      Q request,
      CallPolicy policy,
      @Nullable Executor executor,
      boolean gated) {
    this.path = path;
    this.rpc = rpc;
    this.request = request;
    this.policy = policy;
    this.executor = executor;
    this.gated = gated;
    this.id = path.nextId();
    this.began = path.now();
  }

  /** The result to come. */
  CallFuture<R> result() {
    return result;
  }

  /** Sends the first attempt, unless the request itself forbids it. */
  CallFuture<R> begin() {
    Optional<CsiException> refusal =
        path.refuse(rpc.operation(), request, () -> describe(StatusCode.INVALID_ARGUMENT));
    if (refusal.isPresent()) {
      result.completeExceptionally(refusal.get());
      return result;
    }
    attempt(new First());
    return result;
  }

  @Override
  public void end(CsiCancelledException.Reason reason) {
    ended = reason;
    result.completeExceptionally(cancelled(reason));
    CallAttempt<Q, A> attempt = running;
    if (attempt != null) {
      attempt.cancel();
    }
    CompletableFuture<R> retries = retrying;
    if (retries != null) {
      retries.cancel(false);
    }
  }

  /** The failure of a call that the host ends for this reason. */
  CsiCancelledException cancelled(CsiCancelledException.Reason reason) {
    return path.cancelled(
        describe(StatusCode.CANCELLED).outcome(sent == 0 ? Outcome.SETTLED : Outcome.UNCERTAIN),
        reason);
  }

  // ---- one attempt

  /** Where an attempt hands its end. */
  private interface End<R extends @Nullable Object> {
    void complete(R value);

    void fail(Throwable thrown);
  }

  /** That of the first attempt: nearly always of the call. */
  private final class First implements End<R> {
    @Override
    public void complete(R value) {
      result.complete(value);
    }

    @Override
    public void fail(Throwable thrown) {
      if (isRepeatable(thrown)) {
        retry(unwrap(thrown));
      } else {
        UnaryCall.this.fail(thrown);
      }
    }
  }

  private void attempt(End<R> done) {
    admissions = 0;
    resent = false;
    if (left() <= 0) {
      // The host was stopped for longer than the call may take, or allows no time at all.
      done.fail(overdue());
    } else if (gated) {
      admit(done);
    } else {
      send(done);
    }
  }

  /** Why it was not sent at all, or not once more. */
  private CsiException overdue() {
    return earlier.isEmpty()
        ? new CsiTransientException(
            describe(StatusCode.DEADLINE_EXCEEDED)
                .why("the time that it may take was over before it was sent")
                .advice("Allow more time, or see why this process was stopped.")
                .build(),
            null)
        : earlier.get(earlier.size() - 1);
  }

  private void admit(End<R> done) {
    var admission = path.gate().admit(rpc.operation(), request, this::describe, left(), executor);
    if (admission.isEmpty()) {
      send(done);
      return;
    }
    admission
        .get()
        .whenCompleteAsync(
            (refusal, thrown) -> {
              if (thrown != null) {
                done.fail(thrown);
              } else if (refusal.isPresent()) {
                done.fail(notSent(refusal.get()));
              } else {
                send(done);
              }
            },
            inPlaceOr(executor));
  }

  private void send(End<R> done) {
    var tried = path.reconnecting(left());
    if (tried.isPresent()) {
      tried.get().whenCompleteAsync((none, never) -> sendNow(done), inPlaceOr(executor));
    } else {
      sendNow(done);
    }
  }

  private static Executor inPlaceOr(@Nullable Executor executor) {
    return executor == null ? Runnable::run : executor;
  }

  private void sendNow(End<R> done) {
    CsiCancelledException.Reason reason = reasonToStop();
    if (reason != null) {
      done.fail(cancelled(reason));
      return;
    }
    if (gated && !path.gate().isCurrent(rpc.operation()) && admissions++ < MOST_ADMISSIONS) {
      // The connection was lost meanwhile: another plugin may be there, or offer something else.
      admit(done);
      return;
    }
    int number = sent + 1;
    sent = number;
    // Only now that it counts as sent: a caller that ends it must not call it unsent.
    reason = reasonToStop();
    if (reason != null) {
      sent = number - 1;
      done.fail(cancelled(reason));
      return;
    }
    CallAttempt<Q, A> attempt =
        new CallAttempt<>(path, rpc.operation(), rpc.method(), id, number, request);
    running = attempt;
    attempt.send(
        left(),
        executor,
        (status, answer) -> {
          running = null;
          if (status.unsent() && !resent && reasonToStop() == null) {
            // It met the end of its connection. The plugin knows nothing of it.
            resent = true;
            send(done);
          } else if (answer == null) {
            done.fail(failed(status));
          } else {
            take(answer, done);
          }
        });
    if (ended != null) {
      attempt.cancel();
    }
  }

  private void take(A answer, End<R> done) {
    AnswerFindings findings = new AnswerFindings(path.scrubber(request));
    try {
      R value = rpc.reader().read(request, answer, findings);
      path.warn(rpc.operation(), findings.warnings());
      done.complete(value);
    } catch (UnusableAnswerException unusable) {
      path.warn(rpc.operation(), findings.warnings());
      done.fail(
          CallFailures.unusable(
              describe(StatusCode.OK).outcome(Outcome.UNCERTAIN),
              findings.violations(),
              findings.created()));
    } catch (RuntimeException | Error unreadable) {
      done.fail(unreadable);
    }
  }

  private CsiException failed(CallAttempt.Status status) {
    CsiCancelledException.Reason reason = reasonToStop();
    if (reason != null) {
      return cancelled(reason);
    }
    explained = status.fromPlugin();
    FailureRule rule = FailureRule.of(rpc.operation(), status.code());
    uncertain |= rule.outcome() == Outcome.UNCERTAIN;
    return path.failed(describe(status.code()), rule, status, request);
  }

  /**
   * Returns what a failed look at the plugin's capabilities means for this call, which was not
   * sent.
   */
  private CsiException notSent(CsiException refusal) {
    CsiCancelledException.Reason reason = reasonToStop();
    explained = true;
    return reason == null
        ? path.notSent(describe(refusal.code()), rpc.operation(), refusal)
        : cancelled(reason);
  }

  private CsiCancelledException.@Nullable Reason reasonToStop() {
    CsiCancelledException.Reason reason = ended;
    return reason == null && path.isClosed() ? CsiCancelledException.Reason.CLOSED : reason;
  }

  private CsiFailure.Builder describe(StatusCode code) {
    return path.describe(rpc.operation(), request, code)
        .outcome(uncertain ? Outcome.UNCERTAIN : Outcome.SETTLED)
        .attempts(sent)
        .elapsed(elapsed());
  }

  /** How many nanoseconds an attempt may take that begins now. */
  private long left() {
    long left = policy.budget().toNanos() - (path.now() - began);
    return Math.min(left, policy.attemptDeadline().toNanos());
  }

  private Duration elapsed() {
    return Duration.ofNanos(path.now() - began);
  }

  // ---- further attempts

  private void retry(Throwable first) {
    RetryPolicy<R> retries =
        RetryPolicy.<R>builder()
            .withMaxAttempts(-1)
            .handleIf((value, thrown) -> thrown != null && mayRepeat(thrown))
            .withDelayFn(context -> pause)
            .onRetry(event -> earlier.add((CsiException) unwrap(event.getLastException())))
            .build();
    // Before anything that needs the timer, which ends with the connection.
    path.waitingBegins(this);
    CompletableFuture<R> retried =
        Failsafe.with(retries)
            .with(path.timer())
            .getStageAsync(
                context ->
                    context.isFirstAttempt()
                        ? CompletableFuture.<R>failedFuture(first)
                        : attemptOnExecutor());
    retrying = retried;
    if (ended != null) {
      retried.cancel(false);
    }
    // Failsafe may give up on the timer, which is the I/O thread.
    retried.whenCompleteAsync(
        (value, thrown) -> {
          path.waitingEnds(this);
          if (thrown == null) {
            result.complete(value);
          } else {
            fail(thrown);
          }
        },
        inPlaceOr(executor));
  }

  private CompletableFuture<R> attemptOnExecutor() {
    CompletableFuture<R> done = new CompletableFuture<>();
    CompletableFuture.runAsync(() -> attempt(new Again<>(done)), inPlaceOr(executor))
        .exceptionally(
            thrown -> {
              done.completeExceptionally(thrown);
              return null;
            });
    return done;
  }

  /** That of a further attempt, for which Failsafe waits. */
  private record Again<R extends @Nullable Object>(CompletableFuture<R> future) implements End<R> {
    @Override
    public void complete(R value) {
      future.complete(value);
    }

    @Override
    public void fail(Throwable thrown) {
      future.completeExceptionally(thrown);
    }
  }

  private boolean isRepeatable(Throwable thrown) {
    return unwrap(thrown) instanceof CsiTransientException
        && policy.attempts() > 1
        && reasonToStop() == null;
  }

  /** Whether there is an attempt and time left; if so, draws the pause before it. */
  private boolean mayRepeat(Throwable thrown) {
    int attempts = earlier.size() + 1;
    if (!isRepeatable(thrown) || attempts >= policy.attempts()) {
      return false;
    }
    StatusCode code = ((CsiException) unwrap(thrown)).code();
    pause = Backoff.pause(policy, code, attempts, path.random());
    return elapsed().plus(pause).compareTo(policy.budget()) < 0;
  }

  private void fail(Throwable thrown) {
    Throwable cause = unwrap(thrown);
    CsiCancelledException.Reason reason = reasonToStop();
    if (cause instanceof CsiTransientException failure
        && reason != null
        && earlier.size() + 1 < policy.attempts()) {
      // It would have been repeated, had the host not ended it.
      earlier.add(failure);
      finish(cancelled(reason));
    } else if (cause instanceof CsiException failure
        && failure.code() == StatusCode.UNAVAILABLE
        && !explained) {
      // Looking at the socket takes system calls, so it does not happen on the I/O thread.
      path.aside()
          .execute(
              () -> {
                CsiException explanation = path.explained(failure);
                inPlaceOr(executor).execute(() -> finish(explanation));
              });
    } else {
      finish(cause);
    }
  }

  private void finish(Throwable cause) {
    earlier.stream().filter(each -> each != cause).forEach(cause::addSuppressed);
    result.completeExceptionally(cause);
  }

  static Throwable unwrap(@Nullable Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause == null ? new IllegalStateException("a call failed without a reason") : cause;
  }
}
