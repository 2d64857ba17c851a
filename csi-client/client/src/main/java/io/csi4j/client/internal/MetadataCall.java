package io.csi4j.client.internal;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.mapping.AnswerFindings;
import io.csi4j.client.internal.mapping.MetadataCheck;
import io.csi4j.client.internal.mapping.UnusableAnswerException;
import io.csi4j.client.internal.rules.KnownEntries;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to a stream of block metadata: a call that resumes where the stream broke.
 *
 * <p>All events are processed one at a time on the callback threads, so the fields need no lock,
 * and callers do not block. The call requests at most one message at a time from the plugin, and
 * only when the subscriber has requested a batch.
 */
final class MetadataCall<Q extends Message, A extends Message>
    implements Flow.Subscription, Endable {

  /** The method of one of the two streams, and the code that reads its messages. */
  record Source<Q extends Message, A extends Message>(
      CsiOperation operation, MethodDescriptor<Q, A> method, MetadataReader<A> reader) {}

  /** Creates a batch from a message. */
  @FunctionalInterface
  interface MetadataReader<A> {
    /** Returns the batch; faults of the message are added to {@code findings}. */
    BlockMetadataBatch read(MetadataCheck check, A message, AnswerFindings findings);
  }

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.client");

  /**
   * Number of repeated admissions after which a call may use any connection: some plugins end the
   * connection after every answer.
   */
  private static final int MOST_ADMISSIONS = 3;

  private final CallPath path;
  private final Source<Q, A> source;
  private final Q request;
  private final CallPolicy policy;
  private final Flow.Subscriber<? super BlockMetadataBatch> subscriber;
  private final FieldDescriptor startingOffset;
  private final long id;
  private final long began;
  private final Executor turns;
  private final CallHeaders headers;

  private MetadataCheck check;
  private long demand;
  private boolean begun;
  private boolean done;
  private boolean resumable;
  private int sent;
  private int admissions;

  /** The failed attempts since the last progress; created by the first of these failures. */
  private @Nullable Repeats repeats;

  /** Whether this attempt was sent a second time because no byte of it had been sent. */
  private boolean resent;

  private @Nullable CallAttempt<Q, A> running;
  private @Nullable Future<?> alarm;

  /** Whether a message of the plugin is pending, and since when. */
  private boolean awaiting;

  private long awaitingSince;

  /**
   * How long the call has waited for the plugin since the last progress, without the time that the
   * subscriber took.
   */
  private Duration stuck = Duration.ZERO;

  MetadataCall(
      CallPath path,
      Source<Q, A> source,
      Q request,
      CallPolicy policy,
      Flow.Subscriber<? super BlockMetadataBatch> subscriber) {
    this.path = path;
    this.source = source;
    this.request = request;
    this.policy = policy;
    this.subscriber = subscriber;
    this.startingOffset = request.getDescriptorForType().findFieldByName("starting_offset");
    this.check = new MetadataCheck((Long) request.getField(startingOffset));
    this.id = path.nextId();
    this.began = path.now();
    this.turns = MoreExecutors.newSequentialExecutor(path.callbacks());
    // The listeners must be notified on the caller's thread, and all later steps run on other
    // threads.
    path.asked(id, source.operation());
    this.headers = path.headers(source.operation());
  }

  /** Passes this subscription to the subscriber. No other event is delivered meanwhile. */
  void subscribe() {
    inTurn(() -> subscriber.onSubscribe(this));
  }

  @Override
  public void request(long n) {
    inTurn(
        () -> {
          if (done) {
            return;
          }
          if (n <= 0) {
            failed(new IllegalArgumentException("A subscriber must request at least one batch."));
            return;
          }
          demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
          if (!begun) {
            begun = true;
            begin();
          } else if (resumable) {
            attempt();
          } else {
            pull();
          }
        });
  }

  @Override
  public void cancel() {
    inTurn(
        () -> {
          if (!done) {
            stop();
          }
        });
  }

  @Override
  public void end(CsiCancelledException.Reason reason) {
    inTurn(() -> failed(cancelled(reason)));
  }

  // ---- one event at a time

  private void inTurn(Runnable step) {
    turns.execute(() -> guarded(step));
  }

  /** An exception thrown by a subscriber ends its call, and nothing else. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable thrown) {
      if (done) {
        LOGGER.log(
            Level.WARNING,
            "A subscriber to "
                + source.operation().rpcName()
                + " threw an exception when its stream ended.",
            thrown);
      } else {
        guarded(() -> failed(thrown));
      }
    }
  }

  private void later(Duration delay, Runnable step) {
    try {
      alarm = path.later(delay.toNanos(), () -> inTurn(step));
    } catch (RejectedExecutionException closing) {
      failed(cancelled(CsiCancelledException.Reason.CLOSED));
    }
  }

  // ---- sending

  private void begin() {
    Optional<CsiException> refusal =
        path.refuse(
            source.operation(),
            request,
            KnownEntries.NONE,
            () -> describe(StatusCode.INVALID_ARGUMENT, Outcome.SETTLED));
    if (refusal.isPresent()) {
      failed(refusal.get());
      return;
    }
    path.waitingBegins(this);
    // If the connection is closed, its end event was just queued and is processed before this step.
    inTurn(this::attempt);
  }

  private void attempt() {
    if (done) {
      return;
    }
    resumable = false;
    awaiting = true;
    awaitingSince = path.now();
    admissions = 0;
    resent = false;
    admit();
  }

  private void admit() {
    path.gate()
        .admit(
            source.operation(),
            request,
            code -> describe(code, Outcome.SETTLED),
            policy.attemptDeadline().toNanos(),
            path.callbacks())
        .ifPresentOrElse(
            admission ->
                admission.whenComplete(
                    (refused, thrown) ->
                        inTurn(
                            () -> {
                              if (thrown != null) {
                                failed(thrown);
                              } else {
                                refused.ifPresentOrElse(this::notSent, this::send);
                              }
                            })),
            this::send);
  }

  private void notSent(CsiException refusal) {
    broken(path.notSent(describe(refusal.code(), Outcome.SETTLED), source.operation(), refusal));
  }

  private void send() {
    path.reconnecting(policy.attemptDeadline().toNanos())
        .ifPresentOrElse(
            tried -> tried.whenComplete((none, never) -> inTurn(this::sendNow)), this::sendNow);
  }

  private void sendNow() {
    if (done) {
      return;
    }
    long connection = path.gate().connectionFor(source.operation());
    if (connection == CapabilityGate.NO_CONNECTION) {
      if (admissions++ < MOST_ADMISSIONS) {
        // The connection was lost meanwhile, so another plugin may listen now, or the plugin may
        // have other capabilities.
        admit();
        return;
      }
      connection = CapabilityGate.ANY_CONNECTION;
    }
    if (sent > 0) {
      check = check.continued();
    }
    sent++;
    @SuppressWarnings("unchecked") // a builder of Q builds a Q
    Q resumed = (Q) request.toBuilder().setField(startingOffset, check.nextOffset()).build();
    CallAttempt<Q, A> attempt =
        new CallAttempt<>(
            path, source.operation(), source.method(), id, sent, resumed, headers, connection);
    running = attempt;
    watch(attempt);
    // The events are queued although this thread already processes events. So earlier events, which
    // the subscriber caused, come first.
    attempt.stream(
        turns,
        message -> inTurn(() -> received(attempt, message)),
        (status, end, none) -> inTurn(() -> ended(attempt, status, end)));
  }

  private void pull() {
    CallAttempt<Q, A> attempt = running;
    if (attempt != null && !awaiting && demand > 0) {
      awaiting = true;
      watch(attempt);
      attempt.requestOne();
    }
  }

  /**
   * Cancels the attempt if the plugin sends nothing for too long. The time that a slow subscriber
   * takes does not count. One timer is used for many messages.
   */
  private void watch(CallAttempt<Q, A> attempt) {
    awaitingSince = path.now();
    if (alarm == null) {
      later(policy.attemptDeadline(), () -> look(attempt));
    }
  }

  private void look(CallAttempt<Q, A> attempt) {
    if (running != attempt) {
      return;
    }
    alarm = null;
    if (awaiting) {
      Duration left = policy.attemptDeadline().minus(waited());
      if (left.isNegative() || left.isZero()) {
        attempt.cancelAsLate();
      } else {
        later(left, () -> look(attempt));
      }
    }
  }

  private Duration waited() {
    return Duration.ofNanos(path.now() - awaitingSince);
  }

  // ---- received messages

  private void received(CallAttempt<Q, A> attempt, A message) {
    if (done || running != attempt) {
      return;
    }
    awaiting = false;
    long before = check.nextOffset();
    AnswerFindings findings = new AnswerFindings(path.scrubber(request));
    BlockMetadataBatch batch;
    try {
      batch = source.reader().read(check, message, findings);
    } catch (UnusableAnswerException unusable) {
      path.warn(source.operation(), findings.warnings());
      failed(
          CallFailures.unusable(
              describe(StatusCode.OK, Outcome.UNCERTAIN), findings.violations(), Optional.empty()));
      return;
    }
    path.warn(source.operation(), findings.warnings());
    if (check.nextOffset() > before) {
      repeats = null;
      stuck = Duration.ZERO;
    } else {
      stuck = stuck.plus(waited());
    }
    demand--;
    subscriber.onNext(batch);
    pull();
  }

  private void ended(CallAttempt<Q, A> attempt, Status status, CallAttempt.End end) {
    if (done || running != attempt) {
      return;
    }
    running = null;
    silence();
    StatusCode code = CallAttempt.code(status);
    if (code == StatusCode.OK) {
      finish();
      subscriber.onComplete();
      return;
    }
    if (path.isClosed()) {
      failed(cancelled(CsiCancelledException.Reason.CLOSED));
      return;
    }
    if (end == CallAttempt.End.UNSENT && !resent) {
      // The connection ended or was replaced while the request was being sent. The plugin has not
      // received the request.
      resent = true;
      admit();
      return;
    }
    FailureRule rule = end.rule(source.operation(), code);
    CsiException failure = path.failed(describe(code, rule.outcome()), rule, status, end, request);
    boolean unanswered = code == StatusCode.UNAVAILABLE && end != CallAttempt.End.ANSWERED;
    broken(unanswered ? path.explained(failure) : failure);
  }

  /**
   * Resumes the stream where it broke when the subscriber requests more, if another attempt is
   * allowed.
   */
  private void broken(CsiException failure) {
    if (done) {
      return;
    }
    if (awaiting) {
      stuck = stuck.plus(waited());
      awaiting = false;
    }
    repeats = repeats == null ? new Repeats(policy, path.random()) : repeats;
    Optional<Duration> pause = repeats.after(failure);
    stuck = stuck.plus(pause.orElse(Duration.ZERO));
    if (pause.isEmpty() || stuck.compareTo(policy.budget()) >= 0) {
      failed(failure);
      return;
    }
    repeats.remember(failure);
    later(pause.get(), this::resume);
  }

  private void resume() {
    alarm = null;
    if (demand > 0) {
      attempt();
    } else {
      resumable = true;
    }
  }

  // ---- ending

  private void failed(Throwable thrown) {
    if (done) {
      return;
    }
    stop();
    if (repeats != null) {
      repeats.suppressIn(thrown);
    }
    subscriber.onError(thrown);
  }

  private void stop() {
    CallAttempt<Q, A> attempt = running;
    finish();
    if (attempt != null) {
      attempt.cancel();
    }
  }

  private void finish() {
    done = true;
    running = null;
    silence();
    path.waitingEnds(this);
  }

  private void silence() {
    Future<?> ringing = alarm;
    alarm = null;
    if (ringing != null) {
      ringing.cancel(false);
    }
  }

  private CsiCancelledException cancelled(CsiCancelledException.Reason reason) {
    Outcome outcome = sent == 0 ? Outcome.SETTLED : Outcome.UNCERTAIN;
    return path.cancelled(describe(StatusCode.CANCELLED, outcome), reason);
  }

  private CsiFailure.Builder describe(StatusCode code, Outcome outcome) {
    return path.describe(source.operation(), request, code)
        .outcome(outcome)
        .attempts(sent)
        .elapsed(Duration.ofNanos(path.now() - began));
  }
}
