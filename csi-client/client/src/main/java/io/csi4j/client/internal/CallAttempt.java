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
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request sent once, and what comes back: told to listeners, flight recorder, wire log. */
final class CallAttempt<Q extends Message, A extends Message> extends ClientCall.Listener<A> {

  /**
   * How an attempt ended.
   *
   * @param code the status
   * @param text what was said beside it, unsafe to print
   * @param fromPlugin whether the plugin said it, rather than this side of the socket
   * @param unsent whether the connection ended before a byte of the request had left
   */
  record Status(StatusCode code, @Nullable String text, boolean fromPlugin, boolean unsent) {}

  private final CallPath path;
  private final CsiOperation operation;
  private final MethodDescriptor<Q, A> method;
  private final Q request;
  private final CsiListener.Started started;
  private final Origin origin = new Origin();
  private final long began;
  private final @Nullable CsiCallEvent recording;
  private @Nullable Consumer<A> onEach;
  private @Nullable BiConsumer<Status, @Nullable A> whenDone;
  private volatile @Nullable ClientCall<Q, A> call;
  private @Nullable A answer;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile boolean givenUp;
  private boolean surplus;
  private volatile boolean late;

  CallAttempt(
      CallPath path,
      CsiOperation operation,
      MethodDescriptor<Q, A> method,
      long callId,
      int number,
      Q request) {
    this.path = path;
    this.operation = operation;
    this.method = method;
    this.request = request;
    this.began = path.now();
    this.started = new CsiListener.Started(callId, operation, path.name(), path.endpoint(), number);
    this.recording = CsiCallEvent.beginIfRecording();
  }

  /** Sends a unary request. {@code then} gets the answer, or null and the reason. */
  void send(long deadlineNanos, @Nullable Executor executor, BiConsumer<Status, @Nullable A> then) {
    whenDone = then;
    long nanos = Math.max(0, deadlineNanos);
    begin(Deadline.after(nanos, TimeUnit.NANOSECONDS, path.clock()), executor, 2);
  }

  /**
   * Sends a request for a stream. Each message is delivered after a {@link #requestOne}, except the
   * first, which is asked for here. {@code then} gets the status, and always null.
   */
  void stream(Executor executor, Consumer<A> each, BiConsumer<Status, @Nullable A> then) {
    onEach = each;
    whenDone = then;
    begin(null, executor, 1);
  }

  private void begin(@Nullable Deadline deadline, @Nullable Executor executor, int messages) {
    CallOptions options = path.callOptions(executor).withStreamTracerFactory(origin);
    if (deadline != null) {
      options = options.withDeadline(deadline);
    }
    path.started(started, request);
    path.attemptBegins(this);
    if (path.isClosed()) {
      givenUp = true;
    }
    // A host's own gRPC context, with its deadline and cancellation, is none of our business.
    Context hosts = Context.ROOT.attach();
    try {
      ClientCall<Q, A> sending = path.channel().newCall(method, options);
      sending.start(this, new Metadata());
      sending.request(messages);
      sending.sendMessage(request);
      sending.halfClose();
      // Only now: gRPC takes it badly if a call is cancelled while it is being sent off.
      call = sending;
      if (givenUp) {
        cancel();
      }
    } catch (RuntimeException closing) {
      // The I/O thread of a connection that is being closed takes no more work.
      onClose(io.grpc.Status.UNAVAILABLE.withDescription("it could not be sent"), new Metadata());
    } finally {
      Context.ROOT.detach(hosts);
    }
  }

  /** Asks for one more message of a stream. */
  void requestOne() {
    ClientCall<Q, A> sending = call;
    if (sending != null) {
      unlessClosed(() -> sending.request(1));
    }
  }

  /** Gives up because no message came in time: the attempt ends as if its deadline had passed. */
  void cancelAsLate() {
    late = true;
    cancel();
  }

  /** Gives up: the plugin is told, and the attempt ends soon. */
  void cancel() {
    givenUp = true;
    ClientCall<Q, A> sending = call;
    if (sending != null) {
      unlessClosed(() -> sending.cancel("the caller gave up", null));
    }
  }

  /** The I/O thread of a closed connection takes no more work; the attempt has ended then. */
  private void unlessClosed(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException closed) {
      onClose(
          io.grpc.Status.UNAVAILABLE.withDescription("the connection is closed"), new Metadata());
    }
  }

  @Override
  public void onMessage(A message) {
    if (onEach != null) {
      path.received(started, message, request);
      onEach.accept(message);
    } else if (answer == null) {
      answer = message;
    } else {
      surplus = true;
      cancel();
    }
  }

  @Override
  public void onClose(io.grpc.Status status, Metadata trailers) {
    if (over.getAndSet(true)) {
      return;
    }
    path.attemptEnds(this);
    StatusCode code = StatusCode.ofValue(status.getCode().value());
    if (late && code == StatusCode.CANCELLED) {
      code = StatusCode.DEADLINE_EXCEEDED;
    }
    boolean unary = onEach == null;
    boolean unsent = origin.neverLeft() && isLoss(code);
    if (unsent) {
      // gRPC calls some of these unknown.
      code = StatusCode.UNAVAILABLE;
    }
    // gRPC itself cancels a call whose answer it cannot read, and says why in the cause.
    boolean unreadable = code == StatusCode.CANCELLED && status.getCause() != null;
    if (surplus || unreadable || (unary && code == StatusCode.OK && answer == null)) {
      code = StatusCode.INTERNAL;
    }
    A message = code == StatusCode.OK ? answer : null;
    String text =
        surplus
            ? "more than one message came as an answer"
            : unreadable ? "the answer cannot be decoded" : status.getDescription();
    Status end = new Status(code, text, origin.answered && !surplus && !unreadable, unsent);
    try {
      if (message != null) {
        path.received(started, message, request);
      }
      if (recording != null || path.isHeard()) {
        path.ended(ended(code), recording, end, request);
      }
    } finally {
      // The call has to end even if telling of it fails.
      BiConsumer<Status, @Nullable A> then = whenDone;
      if (then != null) {
        then.accept(end, message);
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

  private static boolean isLoss(StatusCode code) {
    return code == StatusCode.UNAVAILABLE || code == StatusCode.UNKNOWN;
  }

  /** Notes how far the call came: onto a connection, out to the plugin, back from it. */
  private static final class Origin extends ClientStreamTracer.Factory {
    private volatile boolean connected;
    private volatile boolean left;
    private volatile boolean answered;

    boolean neverLeft() {
      return connected && !left && !answered;
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
