package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call: the request, which is sent once, and the answer. Reports the attempt to
 * listeners, the flight recorder and the wire log.
 */
final class CallAttempt<Q extends Message, A extends Message>
    extends ClientCall.Listener<ArrivedAnswer<A>> {

  /** Receives the end of an attempt. */
  @FunctionalInterface
  interface Ended<A extends Message> {

    /**
     * Reports that the attempt has ended.
     *
     * @param status the status; its description is unsafe to print
     * @param end the source of the status, with details that the status does not show
     * @param answer the answer to a unary request; null if there is none
     */
    void with(Status status, End end, @Nullable A answer);
  }

  /** The source of the status of an attempt, with details that the status itself does not show. */
  enum End {
    /** The plugin set the status. */
    ANSWERED,
    /** The client set the status. */
    UNANSWERED,
    /** The connection ended before any byte of the request was sent. */
    UNSENT,
    /** The answer exceeds the maximum message size. */
    TOO_LARGE,
    /** The answer would exceed the heap limit. */
    TOO_HEAVY,
    /** The answer arrived, but was not parsed in time. */
    READ_TOO_SLOWLY,
    /** An error of this process, such as a full heap, prevented reading the answer. */
    ERROR,
    /** The plugin ended the call or the connection because the client sends too many calls. */
    NO_CALM;

    /** Returns the rule for a call that ended with this code. */
    FailureRule rule(CsiOperation operation, StatusCode code) {
      return this == ANSWERED
          ? FailureRule.of(operation, code)
          : FailureRule.unanswered(operation, code);
    }
  }

  private static final Status SURPLUS =
      Status.INTERNAL.withDescription("the answer has more than one message");

  private static final Status UNDECODED =
      Status.INTERNAL.withDescription("the answer cannot be decoded");

  /**
   * Longest deadline that is sent to the plugin. gRPC for Node.js ends a call with a longer
   * deadline immediately.
   */
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(Integer.MAX_VALUE);

  private final CallPath path;
  private final CsiOperation operation;
  private final MethodDescriptor<Q, A> method;
  private final Q request;
  private final CallHeaders headers;
  private final CsiListener.Started started;
  private final Origin origin;
  private final long began;
  private final @Nullable CsiCallEvent recording;
  private @Nullable Consumer<A> onEach;
  private @Nullable Ended<A> whenDone;
  private volatile @Nullable ClientCall<Q, ArrivedAnswer<A>> call;
  private @Nullable ArrivedAnswer<A> answer;
  private @Nullable Deadline deadline;
  private @Nullable Executor executor;
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile boolean givenUp;
  private boolean surplus;
  private @Nullable Throwable unread;
  private volatile boolean late;

  /**
   * Creates an attempt that has not begun yet.
   *
   * @param headers the metadata of the call
   * @param connection the only connection over which the request may be sent, as returned by {@link
   *     CapabilityGate#connectionFor}
   */
  CallAttempt(
      CallPath path,
      CsiOperation operation,
      MethodDescriptor<Q, A> method,
      long callId,
      int number,
      Q request,
      CallHeaders headers,
      long connection) {
    this.path = path;
    this.operation = operation;
    this.method = method;
    this.request = request;
    this.headers = headers;
    this.origin = new Origin(path, connection);
    this.began = path.now();
    this.started = new CsiListener.Started(callId, operation, path.name(), path.endpoint(), number);
    this.recording = CsiCallEvent.beginIfRecording();
  }

  /** Sends a unary request. {@code then} receives the answer, or null and the reason. */
  void send(long deadlineNanos, @Nullable Executor executor, Ended<A> then) {
    whenDone = then;
    long nanos = Math.max(0, Math.min(deadlineNanos, LONGEST_NANOS));
    begin(Deadline.after(nanos, TimeUnit.NANOSECONDS, path.clock()), executor, 2);
  }

  /**
   * Sends a request for a stream. This method requests the first message; {@link #requestOne}
   * requests each further message. {@code then} receives the status, and always null as the answer.
   */
  void stream(Executor executor, Consumer<A> each, Ended<A> then) {
    onEach = each;
    whenDone = then;
    begin(null, executor, 1);
  }

  private void begin(@Nullable Deadline limit, @Nullable Executor answers, int messages) {
    CallOptions options = path.callOptions(answers).withStreamTracerFactory(origin);
    if (limit != null) {
      options = options.withDeadline(limit);
    }
    deadline = limit;
    executor = answers;
    path.started(started, request);
    Metadata metadata = headers.of(started);
    path.attemptBegins(this);
    if (path.isClosed()) {
      givenUp = true;
    }
    // The host's gRPC context has its own deadline and cancellation, which must not affect this
    // call.
    Context hosts = Context.ROOT.attach();
    try {
      ClientCall<Q, ArrivedAnswer<A>> sending =
          path.channel().newCall(path.bounded(method), options);
      sending.start(this, metadata);
      sending.request(messages);
      sending.sendMessage(request);
      sending.halfClose();
      // The field is set only after the call has started, because gRPC cannot cancel a call that is
      // being started.
      call = sending;
      if (givenUp) {
        cancel();
      }
    } catch (RuntimeException closing) {
      // The I/O thread accepts no more work while its connection is being closed.
      onClose(Status.UNAVAILABLE.withDescription("the request could not be sent"), new Metadata());
    } finally {
      Context.ROOT.detach(hosts);
    }
  }

  /** Returns the connection over which the request was sent; any connection if it was not sent. */
  long connection() {
    return origin.connection;
  }

  /** Requests one more message of a stream. */
  void requestOne() {
    ClientCall<Q, ArrivedAnswer<A>> sending = call;
    if (sending != null) {
      unlessClosed(() -> sending.request(1));
    }
  }

  /**
   * Cancels the attempt because no message arrived in time. The attempt ends as if its deadline had
   * passed.
   */
  void cancelAsLate() {
    late = true;
    cancel();
  }

  /** Cancels the attempt. gRPC notifies the plugin, and the attempt ends soon. */
  void cancel() {
    givenUp = true;
    ClientCall<Q, ArrivedAnswer<A>> sending = call;
    if (sending != null) {
      unlessClosed(() -> sending.cancel("the caller cancelled the call", null));
    }
  }

  /**
   * Runs the action unless the I/O thread of a closed connection rejects it; the attempt has ended
   * then.
   */
  private void unlessClosed(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException closed) {
      onClose(Status.UNAVAILABLE.withDescription("the connection is closed"), new Metadata());
    }
  }

  @Override
  public void onMessage(ArrivedAnswer<A> message) {
    Consumer<A> each = onEach;
    if (each != null) {
      A built;
      try {
        built = message.message();
      } catch (RuntimeException | Error unreadable) {
        unread = unreadable;
        cancel();
        return;
      }
      path.received(started, built, request);
      each.accept(built);
    } else if (answer == null) {
      answer = message;
    } else {
      surplus = true;
      cancel();
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (over.getAndSet(true)) {
      return;
    }
    Status.Code code = status.getCode();
    if (late && code == Status.Code.CANCELLED) {
      code = Status.Code.DEADLINE_EXCEEDED;
    }
    // If gRPC cannot parse an answer, it cancels the call and reports the reason in the cause.
    Throwable thrown = unread == null && code == Status.Code.CANCELLED ? status.getCause() : unread;
    ArrivedAnswer<A> came = answer;
    if (surplus) {
      finish(SURPLUS, End.UNANSWERED, null);
    } else if (thrown != null) {
      End end = unread(thrown);
      finish(status(end, thrown), end, null);
    } else if (code != Status.Code.OK || onEach != null) {
      ended(code, status);
    } else if (came == null) {
      ended(Status.Code.INTERNAL, status);
    } else if (came.isBuilt()) {
      finish(status, source(), came.message());
    } else {
      buildAside(came, status);
    }
  }

  /**
   * Handles the end of the attempt, as gRPC reports it. The plugin, the loss of the connection, or
   * a limit may have ended the attempt.
   */
  private void ended(Status.Code told, Status status) {
    String text = status.getDescription();
    if (origin.neverLeft() && isLoss(told)) {
      // gRPC reports some requests that it could not send as UNKNOWN.
      finish(Status.UNAVAILABLE.withDescription(text), End.UNSENT, null);
      return;
    }
    if (told == Status.Code.RESOURCE_EXHAUSTED && !origin.answered) {
      // gRPC uses this code for two reasons, and only the text distinguishes them.
      if (text != null && text.contains(" exceeds maximum size")) {
        finish(status, End.TOO_LARGE, null);
      } else {
        finish(Status.UNAVAILABLE.withDescription(text), End.NO_CALM, null);
      }
      return;
    }
    // If the connection is lost while frames are being sent, the failed frames end the call before
    // gRPC reports the loss. A status that the plugin sent has no cause.
    boolean isLost = told == Status.Code.UNKNOWN && !origin.answered && status.getCause() != null;
    Status.Code code = isLost ? Status.Code.UNAVAILABLE : told;
    finish(
        code == status.getCode() ? status : code.toStatus().withDescription(text), source(), null);
  }

  private End source() {
    return origin.answered ? End.ANSWERED : End.UNANSWERED;
  }

  /** Returns why an answer was not read when this was thrown. */
  private static End unread(Throwable thrown) {
    if (thrown instanceof ArrivedAnswer.TooHeavyException) {
      return End.TOO_HEAVY;
    }
    if (thrown instanceof Error) {
      return End.ERROR;
    }
    boolean isTooLarge = Status.fromThrowable(thrown).getCode() == Status.Code.RESOURCE_EXHAUSTED;
    return isTooLarge ? End.TOO_LARGE : End.UNANSWERED;
  }

  private static Status status(End unread, Throwable thrown) {
    return switch (unread) {
      case TOO_HEAVY, TOO_LARGE -> Status.RESOURCE_EXHAUSTED;
      case ERROR -> Status.INTERNAL.withCause(thrown);
      default -> UNDECODED;
    };
  }

  /**
   * Parses a large answer on a thread that runs no timers. The attempt fails if the deadline passes
   * meanwhile.
   */
  private void buildAside(ArrivedAnswer<A> came, Status good) {
    answer = null;
    Future<?> overdue = whenOverdue();
    path.aside()
        .execute(
            () -> {
              Status status = good;
              End end = source();
              A message = null;
              try {
                message = came.message();
              } catch (RuntimeException | Error thrown) {
                end = unread(thrown);
                status = status(end, thrown);
              }
              overdue.cancel(false);
              finishOnExecutor(status, end, message);
            });
  }

  private void finishOnExecutor(Status status, End end, @Nullable A message) {
    Executor answers = executor;
    if (answers == null) {
      finish(status, end, message);
    } else {
      answers.execute(() -> finish(status, end, message));
    }
  }

  private Future<?> whenOverdue() {
    Deadline limit = deadline;
    if (limit == null) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      return path.later(
          Math.max(0, limit.timeRemaining(TimeUnit.NANOSECONDS)),
          () -> finishOnExecutor(Status.DEADLINE_EXCEEDED, End.READ_TOO_SLOWLY, null));
    } catch (RejectedExecutionException closing) {
      return CompletableFuture.completedFuture(null);
    }
  }

  private void finish(Status status, End end, @Nullable A message) {
    if (told.getAndSet(true)) {
      return;
    }
    path.attemptEnds(this);
    try {
      if (message != null) {
        path.received(started, message, request);
      }
      if (recording != null || path.isHeard()) {
        path.ended(ended(code(status)), recording, status, request);
      }
    } finally {
      // The call must end even if a listener fails when the end is reported.
      Ended<A> then = whenDone;
      if (then != null) {
        then.with(status, end, message);
      }
    }
  }

  private CsiListener.Ended ended(StatusCode code) {
    Optional<Outcome> outcome =
        code == StatusCode.OK
            ? Optional.empty()
            : Optional.of(FailureRule.of(operation, code).outcome());
    return new CsiListener.Ended(started, code, outcome, Duration.ofNanos(path.now() - began));
  }

  private static boolean isLoss(Status.Code code) {
    return code == Status.Code.UNAVAILABLE || code == Status.Code.UNKNOWN;
  }

  /** Returns the status code for a gRPC status code. */
  static StatusCode code(Status status) {
    return StatusCode.ofValue(status.getCode().value());
  }

  /**
   * Records the progress of the call: whether a connection was assigned, the request was sent, and
   * an answer was received.
   */
  static final class Origin extends ClientStreamTracer.Factory {
    private final CallPath path;
    private final long wanted;
    private volatile long connection = CapabilityGate.ANY_CONNECTION;
    private volatile boolean refused;
    private volatile boolean connected;
    private volatile boolean left;
    private volatile boolean answered;

    Origin(CallPath path, long wanted) {
      this.path = path;
      this.wanted = wanted;
    }

    /**
     * Returns whether the request may be sent over the connection that gRPC just assigned to it. An
     * assigned connection is ready. So if no newer connection has been counted, the assigned
     * connection has the current number.
     */
    boolean mayGo() {
      long now = path.generation();
      connection = now;
      refused = wanted != CapabilityGate.ANY_CONNECTION && wanted != now;
      return !refused;
    }

    boolean neverLeft() {
      return refused || (connected && !left && !answered);
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transport, Metadata sent) {
          connected = true;
        }

        @Override
        public void outboundHeaders() {
          left = true;
        }

        @Override
        public void inboundTrailers(Metadata trailers) {
          answered = true;
        }
      };
    }
  }
}
