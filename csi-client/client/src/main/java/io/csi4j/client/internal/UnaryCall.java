package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.mapping.AnswerFindings;
import io.csi4j.client.internal.mapping.NodeRequestMapping;
import io.csi4j.client.internal.mapping.UnusableAnswerException;
import io.csi4j.client.internal.rules.KnownEntries;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One call with all its attempts.
 *
 * <p>The attempts never overlap, so the plain fields need no lock.
 */
final class UnaryCall<Q extends Message, A extends Message, R extends @Nullable Object>
    implements Endable {

  /**
   * Number of repeated admissions after which a call may use any connection: some plugins end the
   * connection after every answer.
   */
  private static final int MOST_ADMISSIONS = 3;

  private final CallPath path;
  private final UnaryRpc<?, Q, A, R> rpc;
  private final Q request;
  private final KnownEntries known;
  private final CallPolicy policy;
  private final @Nullable Executor executor;
  private final boolean gated;
  private final long id;
  private final long began;
  private final CallFuture<R> result =
      new CallFuture<>(() -> end(CsiCancelledException.Reason.CANCELLED));

  /**
   * The failed attempts. Created by the first failure, so that a successful call does not allocate
   * it.
   */
  private @Nullable Repeats repeats;

  private CallHeaders headers = CallHeaders.NONE;
  private volatile int sent;
  private volatile long connection = CapabilityGate.ANY_CONNECTION;
  private int admissions;
  private boolean resent;
  private boolean uncertain;
  private boolean explained;
  private volatile @Nullable CallAttempt<Q, A> running;
  private volatile @Nullable Future<?> pausing;
  private volatile CsiCancelledException.@Nullable Reason ended;

  /**
   * Creates a call that has not begun yet.
   *
   * @param executor processes the answers and sends the retries; null for the I/O thread
   * @param gated whether the capabilities of the plugin are checked first
   */
  <T> UnaryCall(
      CallPath path,
      UnaryRpc<T, Q, A, R> rpc,
      T request,
      CallPolicy policy,
      @Nullable Executor executor,
      boolean gated) {
    this.path = path;
    this.rpc = rpc;
    this.request = rpc.toProto().apply(request);
    this.known = NodeRequestMapping.known(request);
    this.policy = policy;
    this.executor = executor;
    this.gated = gated;
    this.id = path.nextId();
    this.began = path.now();
  }

  /** Returns the future result. */
  CallFuture<R> result() {
    return result;
  }

  /** Returns the number of the connection over which the last answer came. */
  long connection() {
    return connection;
  }

  /** Sends the first attempt, unless the request itself is not valid. */
  CallFuture<R> begin() {
    Optional<CsiException> refusal =
        path.refuse(rpc.operation(), request, known, () -> describe(StatusCode.INVALID_ARGUMENT));
    if (refusal.isPresent()) {
      result.completeExceptionally(refusal.get());
      return result;
    }
    path.asked(id, rpc.operation());
    headers = path.headers(rpc.operation());
    attempt();
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
    path.waitingEnds(this);
    silence();
  }

  /** Returns the failure of a call that the host ends for this reason. */
  CsiCancelledException cancelled(CsiCancelledException.Reason reason) {
    return path.cancelled(
        describe(StatusCode.CANCELLED).outcome(sent == 0 ? Outcome.SETTLED : Outcome.UNCERTAIN),
        reason);
  }

  // ---- one attempt

  private void attempt() {
    admissions = 0;
    resent = false;
    if (left() <= 0) {
      // The process was suspended for longer than the call may take, or the host's time limit is
      // zero.
      attemptFailed(overdue());
    } else if (gated) {
      admit();
    } else {
      send();
    }
  }

  /** Returns why the request was not sent at all, or not sent again. */
  private CsiException overdue() {
    return repeats == null
        ? new CsiTransientException(
            describe(StatusCode.DEADLINE_EXCEEDED)
                .why("the time limit expired before the request was sent")
                .advice("Allow more time, or see why this process was stopped.")
                .build(),
            null)
        : repeats.last();
  }

  private void admit() {
    var admission = path.gate().admit(rpc.operation(), request, this::describe, left(), executor);
    if (admission.isEmpty()) {
      send();
      return;
    }
    admission
        .get()
        .whenCompleteAsync(
            (refusal, thrown) -> {
              if (thrown != null) {
                attemptFailed(thrown);
              } else if (refusal.isPresent()) {
                attemptFailed(notSent(refusal.get()));
              } else {
                send();
              }
            },
            inPlaceOr(executor));
  }

  private void send() {
    var tried = path.reconnecting(left());
    if (tried.isPresent()) {
      tried.get().whenCompleteAsync((none, never) -> sendNow(), inPlaceOr(executor));
    } else {
      sendNow();
    }
  }

  private static Executor inPlaceOr(@Nullable Executor executor) {
    return executor == null ? Runnable::run : executor;
  }

  private void sendNow() {
    CsiCancelledException.Reason reason = reasonToStop();
    if (reason != null) {
      attemptFailed(cancelled(reason));
      return;
    }
    long wanted =
        gated ? path.gate().connectionFor(rpc.operation()) : CapabilityGate.ANY_CONNECTION;
    if (wanted == CapabilityGate.NO_CONNECTION) {
      if (admissions++ < MOST_ADMISSIONS) {
        // The connection was lost meanwhile, so another plugin may listen now, or the plugin may
        // have other capabilities.
        admit();
        return;
      }
      wanted = CapabilityGate.ANY_CONNECTION;
    }
    int number = sent + 1;
    sent = number;
    // This check comes after the request is marked as sent, so that a caller that ends the call
    // never reports a sent request as unsent.
    reason = reasonToStop();
    if (reason != null) {
      sent = number - 1;
      attemptFailed(cancelled(reason));
      return;
    }
    CallAttempt<Q, A> attempt =
        new CallAttempt<>(
            path, rpc.operation(), rpc.method(), id, number, request, headers, wanted);
    running = attempt;
    attempt.send(
        left(),
        executor,
        (status, end, answer) -> {
          running = null;
          if (end == CallAttempt.End.UNSENT && !resent && reasonToStop() == null) {
            // The connection was being closed, or a new connection was still being opened. The
            // plugin has not received the request.
            resent = true;
            send();
          } else if (answer == null) {
            attemptFailed(failed(status, end));
          } else {
            connection = attempt.connection();
            take(answer);
          }
        });
    if (ended != null) {
      attempt.cancel();
    }
  }

  private void take(A answer) {
    if (!rpc.hasResult()) {
      // An answer without content has no faults to record.
      result.complete(null);
      return;
    }
    AnswerFindings findings = new AnswerFindings(path.scrubber(request));
    try {
      R value = rpc.reader().read(request, answer, findings);
      path.warn(rpc.operation(), findings.warnings());
      result.complete(value);
    } catch (UnusableAnswerException unusable) {
      path.warn(rpc.operation(), findings.warnings());
      attemptFailed(
          CallFailures.unusable(
              describe(StatusCode.OK).outcome(Outcome.UNCERTAIN),
              findings.violations(),
              findings.created()));
    } catch (RuntimeException | Error unreadable) {
      attemptFailed(unreadable);
    }
  }

  private CsiException failed(Status status, CallAttempt.End end) {
    CsiCancelledException.Reason reason = reasonToStop();
    if (reason != null) {
      return cancelled(reason);
    }
    explained = end == CallAttempt.End.ANSWERED;
    StatusCode code = CallAttempt.code(status);
    FailureRule rule = end.rule(rpc.operation(), code);
    uncertain |= rule.outcome() == Outcome.UNCERTAIN;
    return path.failed(describe(code), rule, status, end, request);
  }

  /** Returns the failure of this call, which was not sent because of {@code refusal}. */
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

  /** Returns how many nanoseconds an attempt that begins now may take. */
  private long left() {
    long left = policy.budget().toNanos() - (path.now() - began);
    return Math.min(left, policy.attemptDeadline().toNanos());
  }

  private Duration elapsed() {
    return Duration.ofNanos(path.now() - began);
  }

  // ---- after a failed attempt

  /** Schedules another attempt after a pause, or ends the call. */
  private void attemptFailed(Throwable thrown) {
    Throwable cause = unwrap(thrown);
    if (policy.attempts() == 1 || !(cause instanceof CsiTransientException failure)) {
      giveUp(cause);
      return;
    }
    repeats = repeats == null ? new Repeats(policy, path.random()) : repeats;
    Optional<Duration> pause = repeats.after(failure);
    if (pause.isEmpty()) {
      giveUp(failure);
      return;
    }
    CsiCancelledException.Reason reason = reasonToStop();
    if (reason != null) {
      // The call would have been repeated if the host had not ended it.
      repeats.remember(failure);
      finish(cancelled(reason));
      return;
    }
    if (elapsed().plus(pause.get()).compareTo(policy.budget()) >= 0) {
      giveUp(failure);
      return;
    }
    repeats.remember(failure);
    pause(pause.get(), failure);
  }

  private void pause(Duration pause, CsiException failure) {
    // Registered before the timer starts, because the timer ends with the connection.
    path.waitingBegins(this);
    try {
      pausing = path.later(pause.toNanos(), () -> elsewhere(this::goOn, failure));
    } catch (RejectedExecutionException closing) {
      end(CsiCancelledException.Reason.CLOSED);
    }
    if (ended != null) {
      silence();
    }
  }

  private void goOn() {
    path.waitingEnds(this);
    attempt();
  }

  private void silence() {
    Future<?> alarm = pausing;
    pausing = null;
    if (alarm != null) {
      alarm.cancel(false);
    }
  }

  private void giveUp(Throwable cause) {
    if (cause instanceof CsiException failure
        && failure.code() == StatusCode.UNAVAILABLE
        && !explained) {
      // Checking the socket takes system calls, so it does not run on the I/O thread.
      try {
        path.aside().execute(() -> explain(failure));
      } catch (RuntimeException | Error noThread) {
        finish(failure);
      }
    } else {
      finish(cause);
    }
  }

  private void explain(CsiException failure) {
    CsiException explanation;
    try {
      explanation = path.explained(failure);
    } catch (RuntimeException | Error unknown) {
      explanation = failure;
    }
    CsiException told = explanation;
    elsewhere(() -> finish(told), told);
  }

  /**
   * Continues on the host's executor. If the executor throws an exception, this method ends the
   * call, because no other code would.
   */
  private void elsewhere(Runnable step, CsiException failure) {
    try {
      inPlaceOr(executor).execute(step);
    } catch (RuntimeException | Error noThread) {
      path.waitingEnds(this);
      finish(failure);
    }
  }

  private void finish(Throwable cause) {
    if (repeats != null) {
      repeats.suppressIn(cause);
    }
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
