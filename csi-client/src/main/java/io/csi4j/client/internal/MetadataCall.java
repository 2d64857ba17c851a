package io.csi4j.client.internal;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.CallPolicy;
import io.csi4j.client.CsiCancelledException;
import io.csi4j.client.CsiException;
import io.csi4j.client.CsiFailure;
import io.csi4j.client.CsiOperation;
import io.csi4j.client.CsiTransientException;
import io.csi4j.client.FailureRule;
import io.csi4j.client.Outcome;
import io.csi4j.client.StatusCode;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.grpc.MethodDescriptor;
import io.grpc.SynchronizationContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One subscription to a stream of block metadata: a call that is taken up again where it broke.
 *
 * <p>All that happens to it happens in turn, so the fields need no lock. At most one message is
 * asked for at a time, and only when the subscriber wants one.
 */
final class MetadataCall<Q extends Message, A extends Message>
    implements Flow.Subscription, Endable {

  /** How one of the two streams is called and read. */
  record Source<Q extends Message, A extends Message>(
      CsiOperation operation, MethodDescriptor<Q, A> method, MetadataReader<A> reader) {}

  /** Makes a batch from a message. */
  @FunctionalInterface
  interface MetadataReader<A> {
    /** The batch; what is wrong with it goes to {@code findings}. */
    BlockMetadataBatch read(MetadataCheck check, A message, Findings findings);
  }

  private final CallPath path;
  private final Source<Q, A> source;
  private final Q request;
  private final CallPolicy policy;
  private final Flow.Subscriber<? super BlockMetadataBatch> subscriber;
  private final FieldDescriptor startingOffset;
  private final long id;
  private final long began;
  private final List<CsiException> earlier = new ArrayList<>();
  private final SynchronizationContext turn =
      new SynchronizationContext((thread, thrown) -> failed(thrown));

  private volatile MetadataCheck check;
  private long demand;
  private boolean begun;
  private boolean done;
  private boolean awaiting;
  private boolean late;
  private int sent;
  private int attempts;
  private long lastProgress;
  private @Nullable Attempt<Q, A> running;
  private @Nullable Future<?> alarm;

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
    this.lastProgress = began;
  }

  /** The first byte that was not delivered yet. */
  long resumeOffset() {
    return check.nextOffset();
  }

  @Override
  public void request(long n) {
    turn.execute(
        () -> {
          if (done) {
            return;
          }
          if (n <= 0) {
            failed(new IllegalArgumentException("A subscriber has to ask for at least one batch."));
            return;
          }
          demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
          if (begun) {
            pull();
          } else {
            begun = true;
            begin();
          }
        });
  }

  @Override
  public void cancel() {
    turn.execute(this::stop);
  }

  @Override
  public void end(CsiCancelledException.Reason reason) {
    turn.execute(
        () -> failed(path.cancelled(describe(StatusCode.CANCELLED, Outcome.SETTLED), reason)));
  }

  private void begin() {
    Optional<CsiException> refusal =
        path.refuse(
            source.operation(),
            request,
            () -> describe(StatusCode.INVALID_ARGUMENT, Outcome.SETTLED));
    if (refusal.isPresent()) {
      failed(refusal.get());
      return;
    }
    path.waitingBegins(this);
    attempt();
  }

  private void attempt() {
    attempts++;
    path.gate()
        .admit(
            source.operation(), request, code -> describe(code, Outcome.SETTLED), path.callbacks())
        .ifPresentOrElse(
            admission ->
                admission.whenComplete(
                    (refused, thrown) ->
                        turn.execute(
                            () -> {
                              if (thrown != null) {
                                failed(thrown);
                              } else if (refused.isPresent()) {
                                broken(notSent(refused.get()));
                              } else {
                                send();
                              }
                            })),
            this::send);
  }

  private void send() {
    if (done) {
      return;
    }
    if (sent > 0) {
      check = check.continued();
    }
    sent++;
    @SuppressWarnings("unchecked") // a builder of Q builds a Q
    Q resumed = (Q) request.toBuilder().setField(startingOffset, check.nextOffset()).build();
    Attempt<Q, A> attempt =
        new Attempt<>(path, source.operation(), source.method(), id, sent, resumed);
    running = attempt;
    awaiting = true;
    late = false;
    watch(attempt);
    attempt.stream(
        path.callbacks(),
        message -> turn.execute(() -> received(attempt, message)),
        (status, none) -> turn.execute(() -> ended(attempt, status)));
  }

  private void pull() {
    Attempt<Q, A> attempt = running;
    if (attempt != null && !awaiting && demand > 0) {
      awaiting = true;
      watch(attempt);
      attempt.requestOne();
    }
  }

  /** A plugin that keeps silent for too long is given up; a slow subscriber is not its fault. */
  private void watch(Attempt<Q, A> attempt) {
    Runnable overdue =
        () ->
            turn.execute(
                () -> {
                  if (running == attempt && awaiting) {
                    late = true;
                    attempt.cancel();
                  }
                });
    alarm =
        path.timer()
            .schedule(
                () -> {
                  path.callbacks().execute(overdue);
                  return null;
                },
                policy.attemptDeadline().toNanos(),
                TimeUnit.NANOSECONDS);
  }

  private void received(Attempt<Q, A> attempt, A message) {
    if (done || running != attempt) {
      return;
    }
    awaiting = false;
    silence();
    long before = check.nextOffset();
    Findings findings = new Findings(path::scrub);
    BlockMetadataBatch batch;
    try {
      batch = source.reader().read(check, message, findings);
    } catch (UnusableAnswerException unusable) {
      path.warn(source.operation(), findings.warnings());
      failed(
          Failures.unusable(
              describe(StatusCode.OK, Outcome.SETTLED), findings.violations(), Optional.empty()));
      return;
    }
    path.warn(source.operation(), findings.warnings());
    if (check.nextOffset() > before) {
      attempts = 1;
      earlier.clear();
      lastProgress = path.now();
    }
    demand--;
    subscriber.onNext(batch);
    pull();
  }

  private void ended(Attempt<Q, A> attempt, Attempt.Status status) {
    if (done || running != attempt) {
      return;
    }
    running = null;
    awaiting = false;
    silence();
    if (status.code() == StatusCode.OK) {
      finish();
      subscriber.onComplete();
      return;
    }
    Attempt.Status end =
        late ? new Attempt.Status(StatusCode.DEADLINE_EXCEEDED, null, false) : status;
    if (path.isClosed()) {
      end(CsiCancelledException.Reason.CLOSED);
      return;
    }
    FailureRule rule = FailureRule.of(source.operation(), end.code());
    broken(path.failed(describe(end.code(), rule.outcome()), rule, end));
  }

  private CsiException notSent(CsiException refusal) {
    return path.notSent(describe(refusal.code(), Outcome.SETTLED), source.operation(), refusal);
  }

  /** Takes the stream up again where it broke, if that may help. */
  private void broken(CsiException failure) {
    if (done) {
      return;
    }
    Duration pause = Backoff.pause(policy, failure.code(), Math.max(1, attempts), path.random());
    Duration stuck = Duration.ofNanos(path.now() - lastProgress).plus(pause);
    if (!(failure instanceof CsiTransientException)
        || attempts >= policy.attempts()
        || stuck.compareTo(policy.budget()) >= 0) {
      failed(failure);
      return;
    }
    earlier.add(failure);
    alarm =
        path.timer()
            .schedule(
                () -> {
                  path.callbacks()
                      .execute(
                          () ->
                              turn.execute(
                                  () -> {
                                    if (!done) {
                                      attempt();
                                    }
                                  }));
                  return null;
                },
                pause.toNanos(),
                TimeUnit.NANOSECONDS);
  }

  private void failed(Throwable thrown) {
    if (done) {
      return;
    }
    stop();
    earlier.stream().filter(each -> each != thrown).forEach(thrown::addSuppressed);
    subscriber.onError(thrown);
  }

  private void stop() {
    Attempt<Q, A> attempt = running;
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

  private CsiFailure.Builder describe(StatusCode code, Outcome outcome) {
    return path.describe(source.operation(), request, code)
        .outcome(outcome)
        .attempts(sent)
        .elapsed(Duration.ofNanos(path.now() - began));
  }
}
