package io.csi4j.client.internal;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.internal.redaction.SensitiveValues;
import io.csi4j.client.internal.rules.KnownEntries;
import io.csi4j.client.internal.rules.RequestChecks;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.CallMetadata;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiTransientException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.FailureRule;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The state that all calls of a connection share, and the code that reports calls and describes
 * their failures. A single call is a {@link UnaryCall} or a {@link MetadataCall}.
 */
public final class CallPath {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.client");

  /**
   * The fields that can identify the subject of a request. The first field that is set determines
   * the subject.
   */
  private static final List<String> SUBJECTS =
      List.of("volume_id", "snapshot_id", "group_snapshot_id", "name", "base_snapshot_id");

  private static final int WARNINGS_LIMIT = 1000;

  private static final CallOptions GUARDED =
      CallOptions.DEFAULT.withCallCredentials(ConnectionGuard.INSTANCE);

  private final CallEnvironment ground;
  private final ConnectOptions options;
  private final List<CsiListener> listeners;
  private final Executor callbacks;
  private final CallOptions onCallbacks;
  private final SensitiveValues sensitive = new SensitiveValues();
  private final CapabilityGate gate;
  private final AtomicLong ids = new AtomicLong();
  private final Map<MethodDescriptor<?, ?>, MethodDescriptor<?, ?>> bounded =
      new ConcurrentHashMap<>();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();
  private final Set<Endable> waiting = ConcurrentHashMap.newKeySet();
  private final Set<CallAttempt<?, ?>> inFlight = ConcurrentHashMap.newKeySet();
  private volatile Optional<PluginName> name = Optional.empty();
  private volatile Optional<String> vendorVersion = Optional.empty();
  private volatile boolean closed;

  /** Returns the path of all calls over a connection. */
  public static CallPath over(CsiEndpoint endpoint, ConnectOptions options, Connection connection) {
    return new CallPath(new ConnectionGround(endpoint, options, connection));
  }

  /** Creates the path of all calls in the environment {@code ground}. */
  public CallPath(CallEnvironment ground) {
    this.ground = ground;
    this.options = ground.options();
    this.listeners = options.listeners();
    this.callbacks = ground.callbacks();
    this.onCallbacks = GUARDED.withExecutor(callbacks);
    this.gate = new CapabilityGate(this);
  }

  // ---- beginning a call

  /** Begins a call that does not block its caller; the host's executor processes the result. */
  <T, Q extends Message, A extends Message, R extends @Nullable Object> CallFuture<R> async(
      UnaryRpc<T, Q, A, R> rpc, T request, CallPolicy policy) {
    return new UnaryCall<>(this, rpc, request, policy, answers(), true).begin();
  }

  /**
   * Returns the executor for answers that the host waits for, because actions of the host may
   * depend on them; null for the I/O thread.
   */
  private @Nullable Executor answers() {
    return options.callbacksInPlace() ? null : callbacks;
  }

  /** Makes a call and waits for its result. */
  <T, Q extends Message, A extends Message, R extends @Nullable Object> R blocking(
      UnaryRpc<T, Q, A, R> rpc, T request, CallPolicy policy) {
    Executor executor = listeners.isEmpty() ? null : answers();
    UnaryCall<Q, A, R> call = new UnaryCall<>(this, rpc, request, policy, executor, true);
    if (Thread.currentThread().isInterrupted()) {
      throw call.cancelled(CsiCancelledException.Reason.INTERRUPTED);
    }
    return BlockingWait.on(call.begin(), () -> call.end(CsiCancelledException.Reason.INTERRUPTED));
  }

  /**
   * The answer of a plugin.
   *
   * @param connection the number of the connection over which the answer came
   */
  record Answered<R extends @Nullable Object>(R answer, long connection) {}

  /**
   * Calls the plugin without a check of its capabilities. The capability gate uses this method for
   * its own calls. The call may take at most {@code limit}.
   */
  <T, Q extends Message, A extends Message, R extends @Nullable Object> CallFuture<R> ungated(
      UnaryRpc<T, Q, A, R> rpc, T request, Duration limit, @Nullable Executor executor) {
    return look(rpc, request, limit, executor).begin();
  }

  /** Like {@link #ungated}, but also returns the connection over which the plugin answered. */
  <T, Q extends Message, A extends Message, R extends @Nullable Object>
      CompletableFuture<Answered<R>> ungatedOn(
          UnaryRpc<T, Q, A, R> rpc, T request, Duration limit, @Nullable Executor executor) {
    UnaryCall<Q, A, R> call = look(rpc, request, limit, executor);
    return call.begin().thenApply(answer -> new Answered<>(answer, call.connection()));
  }

  private <T, Q extends Message, A extends Message, R extends @Nullable Object>
      UnaryCall<Q, A, R> look(
          UnaryRpc<T, Q, A, R> rpc, T request, Duration limit, @Nullable Executor executor) {
    CallPolicy usual = options.policy(rpc.operation());
    Duration deadline =
        limit.compareTo(usual.attemptDeadline()) < 0 ? limit : usual.attemptDeadline();
    CallPolicy policy = usual.with(each -> each.attempts(1).attemptDeadline(deadline));
    return new UnaryCall<>(this, rpc, request, policy, executor, false);
  }

  /**
   * Returns why this request must not be sent, even if the plugin offers the call.
   *
   * @param known the entries of the request that were already validated
   */
  Optional<CsiException> refuse(
      CsiOperation operation,
      Message request,
      KnownEntries known,
      Supplier<CsiFailure.Builder> failure) {
    if (operation.service() == CsiOperation.Service.IDENTITY) {
      // A message without fields needs no checks. Without them, a first Probe loads no descriptors.
      return Optional.empty();
    }
    RequestChecks.Result checked = RequestChecks.check(operation, request, known);
    warn(operation, checked.remarks());
    List<Violation> violations = checked.violations();
    if (options.strictSizes() && !checked.oversize().isEmpty()) {
      violations = new ArrayList<>(violations);
      violations.addAll(checked.oversize());
    } else {
      warn(operation, checked.oversize());
    }
    if (violations.isEmpty()) {
      sensitive.remember(request);
      return Optional.empty();
    }
    return Optional.of(CallFailures.refused(failure.get(), violations));
  }

  // ---- describing failures

  /** Begins the description of a failure: the call, its subject, its endpoint. */
  CsiFailure.Builder describe(CsiOperation operation, Message request, StatusCode code) {
    return CsiFailure.builder(endpoint(), code, Outcome.SETTLED)
        .operation(operation)
        .plugin(name.orElse(null))
        .subject(subject(operation, request));
  }

  /** Returns the failure for the status with which an attempt ended. */
  CsiException failed(
      CsiFailure.Builder failure,
      FailureRule rule,
      Status status,
      CallAttempt.End end,
      Message request) {
    switch (end) {
      case TOO_LARGE -> {
        return CallFailures.tooLarge(failure, options.maxMessageBytes());
      }
      case TOO_HEAVY -> {
        return CallFailures.tooHeavy(
            failure, (long) ArrivedAnswer.HEAP_PER_BYTE * options.maxMessageBytes());
      }
      default -> {}
    }
    boolean isAnswered = end == CallAttempt.End.ANSWERED;
    failure.why(rule.meaning()).advice(rule.advice()).answered(isAnswered);
    if (isAnswered) {
      failure.pluginText(sensitive.scrub(text(status), request));
    } else {
      explainOurs(failure, rule, status, end, request);
    }
    boolean isError = end == CallAttempt.End.ERROR;
    return CallFailures.because(failure.build(), rule, isError ? status.getCause() : null);
  }

  private void explainOurs(
      CsiFailure.Builder failure,
      FailureRule rule,
      Status status,
      CallAttempt.End end,
      Message request) {
    switch (end) {
      case READ_TOO_SLOWLY ->
          failure
              .why("the plugin has answered, but its large answer was not read in time")
              .advice(
                  "Allow more time, ask for fewer entries, or see what keeps this process busy.");
      case ERROR ->
          failure
              .why(
                  "its answer was not read because of an error in this process ("
                      + (status.getCause() == null
                          ? "unknown"
                          : status.getCause().getClass().getName())
                      + ")")
              .advice("See the cause; a process that is out of memory needs more heap.");
      case NO_CALM ->
          failure
              .why(
                  "the plugin ended the call because it is called too often (HTTP/2"
                      + " ENHANCE_YOUR_CALM)")
              .advice("Call it less often, and look at the limits of the plugin's gRPC server.");
      default -> {
        if (rule.code() == StatusCode.INTERNAL || rule.code() == StatusCode.UNKNOWN) {
          String firstLine = text(status).lines().findFirst().orElse("no answer in the message");
          failure.why(
              rule.meaning() + ", detected by the client: " + sensitive.scrub(firstLine, request));
        }
      }
    }
  }

  /** Returns the text of a status, unsafe to print; empty if there is none. */
  private static String text(Status status) {
    String text = status.getDescription();
    return text == null ? "" : text;
  }

  /** Returns the failure of a call that was not sent because of {@code refusal}. */
  CsiException notSent(CsiFailure.Builder failure, CsiOperation operation, CsiException refusal) {
    if (refusal instanceof CsiConnectException || refusal instanceof CsiCancelledException) {
      return refusal;
    }
    if (refusal.operation().equals(Optional.of(operation))) {
      return refusal;
    }
    StatusCode code = refusal.code() == StatusCode.OK ? StatusCode.INTERNAL : refusal.code();
    String asked = refusal.operation().map(CsiOperation::rpcName).orElse("a question");
    failure
        .why("the call was not sent, because " + asked + " failed: " + refusal.failure().why())
        .advice(refusal.advice())
        .pluginText(refusal.failure().pluginText().orElse(null));
    FailureRule rule = FailureRule.of(operation, code);
    CsiException notSent =
        code == StatusCode.UNIMPLEMENTED
            ? new CsiUnsupportedException(failure.build(), Optional.of(asked), refusal)
            : CallFailures.because(failure.build(), rule, refusal);
    // The caller reads the reason from the failure of its own call.
    for (Throwable seen : refusal.getSuppressed()) {
      if (seen instanceof CsiConnectException) {
        notSent.addSuppressed(seen);
      }
    }
    return notSent;
  }

  /** Returns the failure of a call that the host ended. */
  CsiCancelledException cancelled(CsiFailure.Builder failure, CsiCancelledException.Reason reason) {
    String why =
        switch (reason) {
          case INTERRUPTED -> "the waiting thread was interrupted";
          case CANCELLED -> "the caller cancelled the call";
          case CLOSED -> "the connection was closed by the host";
        };
    return new CsiCancelledException(
        failure
            .why(why)
            .advice(
                "The plugin may continue with the request; repeat the call or call its"
                    + " opposite to settle it.")
            .build(),
        reason);
  }

  /**
   * Returns the same failure with the diagnosis of the socket added as a suppressed exception. May
   * take some milliseconds.
   */
  CsiException explained(CsiException failure) {
    if (!(failure instanceof CsiTransientException)) {
      return failure;
    }
    return ground
        .diagnose(failure.elapsed())
        .<CsiException>map(
            seen -> {
              CsiException explained =
                  new CsiTransientException(
                      failure.failure().toBuilder()
                          .why(failure.failure().why() + ": " + seen.failure().why())
                          .advice(seen.advice())
                          .build(),
                      failure.getCause());
              explained.addSuppressed(seen);
              return explained;
            })
        .orElse(failure);
  }

  private static @Nullable String subject(CsiOperation operation, Message request) {
    if (operation == CsiOperation.LIST_VOLUMES || operation == CsiOperation.LIST_SNAPSHOTS) {
      return null;
    }
    for (String each : SUBJECTS) {
      FieldDescriptor field = request.getDescriptorForType().findFieldByName(each);
      if (field != null) {
        return (String) request.getField(field);
      }
    }
    return null;
  }

  // ---- reporting

  /** Reports a call before its first attempt, on the thread of its caller. */
  void asked(long id, CsiOperation operation) {
    if (!listeners.isEmpty()) {
      CsiListener.Asked event = new CsiListener.Asked(id, operation);
      tell(listener -> listener.onAsked(event));
    }
  }

  /** Returns the metadata that the host supplies for a call; runs on the caller's thread. */
  CallHeaders headers(CsiOperation operation) {
    CallMetadata metadata = options.metadata().orElse(null);
    return metadata == null ? CallHeaders.NONE : CallHeaders.of(metadata, operation);
  }

  /** Reports the beginning of an attempt. */
  void started(CsiListener.Started event, Message request) {
    if (options.wireLog()) {
      WireLog.started(event, request);
    }
    if (!listeners.isEmpty()) {
      tell(listener -> listener.onStart(event));
    }
  }

  /** Records a received message for the wire log, and for the redaction of later texts. */
  void received(CsiListener.Started event, Message message, Message request) {
    CsiOperation operation = event.operation();
    if (operation != CsiOperation.LIST_VOLUMES
        && operation.service() != CsiOperation.Service.IDENTITY) {
      // Pages are too large to keep, and the client never sent their contents to the plugin. The
      // identity and the capabilities of a plugin contain no secrets.
      sensitive.rememberAnswer(message);
    }
    if (options.wireLog()) {
      WireLog.received(event, message, sensitive, request);
    }
  }

  /** Returns whether a listener or a log needs the end of an attempt. */
  boolean isHeard() {
    return !listeners.isEmpty() || (options.wireLog() && WireLog.isOn());
  }

  /** Reports the end of an attempt. */
  void ended(
      CsiListener.Ended event, @Nullable CsiCallEvent recording, Status status, Message request) {
    if (recording != null) {
      recording.finish(event);
    }
    if (options.wireLog() && WireLog.isOn()) {
      WireLog.ended(event, sensitive.scrub(text(status), request));
    }
    tell(listener -> listener.onEnd(event));
  }

  /** Reports tolerated deviations of a message from the spec. */
  void warn(CsiOperation operation, List<Violation> oddities) {
    if (oddities.isEmpty()) {
      // Usually there are no findings, so no iterator is created.
      return;
    }
    for (Violation oddity : oddities) {
      // In some clouds every id exceeds the spec's limit, so only the first deviation of a kind is
      // logged.
      String kind = operation + " " + oddity.field().replaceAll("[0-9]", "") + oddity.rule();
      boolean isNew = warned.size() < WARNINGS_LIMIT && warned.add(kind);
      Level level = isNew ? Level.WARNING : Level.DEBUG;
      LOGGER.log(level, "{0} at {1}: {2}", operation.rpcName(), endpoint(), oddity);
      CsiListener.Warning event = new CsiListener.Warning(operation, name, endpoint(), oddity);
      tell(listener -> listener.onWarning(event));
    }
  }

  /**
   * Notifies the listeners when the connection is made or lost, one event at a time.
   *
   * @return an action that stops the notifications
   */
  public Runnable tellOf(Connection connection) {
    if (listeners.isEmpty()) {
      return () -> {};
    }
    Executor queue = MoreExecutors.newSequentialExecutor(callbacks);
    AtomicBoolean wasThere = new AtomicBoolean();
    return connection.watch(
        isThere -> {
          try {
            queue.execute(
                () -> {
                  if (wasThere.getAndSet(isThere) != isThere && !closed) {
                    tell(isThere, connection);
                  }
                });
          } catch (RejectedExecutionException closing) {
            // The connection is being closed, so the listeners need no notification.
          }
        });
  }

  private void tell(boolean isThere, Connection connection) {
    if (isThere) {
      CsiListener.Connected event = new CsiListener.Connected(name, endpoint(), connection.peer());
      tell(listener -> listener.onConnected(event));
    } else {
      CsiListener.Lost event = new CsiListener.Lost(name, endpoint());
      tell(listener -> listener.onLost(event));
    }
  }

  private void tell(Consumer<CsiListener> what) {
    for (CsiListener listener : listeners) {
      try {
        what.accept(listener);
      } catch (Throwable e) {
        // An Error is caught, too: the call must end, and no caller of this method handles an
        // Error.
        LOGGER.log(Level.WARNING, "A CsiListener failed: " + listener.getClass().getName(), e);
      }
    }
  }

  // ---- shared by calls

  CapabilityGate gate() {
    return gate;
  }

  CsiEndpoint endpoint() {
    return ground.endpoint();
  }

  ConnectOptions options() {
    return options;
  }

  Channel channel() {
    return ground.channel();
  }

  long generation() {
    return ground.generation();
  }

  /**
   * Returns a future that completes when a request can be sent, if the connection is broken: see
   * {@link CallEnvironment#reconnecting}.
   */
  Optional<CompletableFuture<Void>> reconnecting(long limitNanos) {
    return closed ? Optional.empty() : ground.reconnecting(limitNanos);
  }

  Executor callbacks() {
    return callbacks;
  }

  Executor aside() {
    return ground.aside();
  }

  /** Returns the method, with a marshaller that applies the heap limit to its answers. */
  @SuppressWarnings("unchecked") // the kept value was made from this method
  <Q extends Message, A extends Message> MethodDescriptor<Q, ArrivedAnswer<A>> bounded(
      MethodDescriptor<Q, A> method) {
    MethodDescriptor<?, ?> known = bounded.get(method);
    if (known == null) {
      known = ArrivedAnswer.Kind.of(method, options.maxMessageBytes());
      bounded.put(method, known);
    }
    return (MethodDescriptor<Q, ArrivedAnswer<A>>) known;
  }

  /**
   * Returns the gRPC options of an attempt whose answer {@code executor} processes; a null executor
   * stands for the I/O thread.
   */
  CallOptions callOptions(@Nullable Executor executor) {
    if (executor == null) {
      return GUARDED;
    }
    // The usual options are kept, because each change of the options creates a copy.
    return executor == callbacks ? onCallbacks : GUARDED.withExecutor(executor);
  }

  /** See {@link CallEnvironment#later}. */
  Future<?> later(long nanos, Runnable task) {
    return ground.later(nanos, task);
  }

  Deadline.Ticker clock() {
    return ground.clock();
  }

  long now() {
    return ground.clock().nanoTime();
  }

  DoubleSupplier random() {
    return ground.random();
  }

  long nextId() {
    return ids.incrementAndGet();
  }

  /**
   * Returns a function that removes secrets from the texts of one answer, because a plugin may
   * repeat the secrets that it received.
   */
  UnaryOperator<String> scrubber(Message request) {
    return sensitive.scrubber(request);
  }

  /** The plugin's name, once the plugin has reported it. */
  public Optional<PluginName> name() {
    return name;
  }

  /** The version that the plugin reported, if any. */
  public Optional<String> vendorVersion() {
    return vendorVersion;
  }

  void introduced(PluginInfo told) {
    name = Optional.of(told.name());
    vendorVersion = Optional.of(told.vendorVersion()).filter(version -> !version.isEmpty());
  }

  // ---- closing

  boolean isClosed() {
    return closed;
  }

  /** Registers {@code call} as waiting for a retry, so that closing the path ends the call. */
  void waitingBegins(Endable call) {
    waiting.add(call);
    if (closed) {
      call.end(CsiCancelledException.Reason.CLOSED);
    }
  }

  void waitingEnds(Endable call) {
    waiting.remove(call);
  }

  /**
   * Registers an attempt that is being sent, so that it can be ended without affecting the other
   * users of the connection.
   */
  void attemptBegins(CallAttempt<?, ?> attempt) {
    inFlight.add(attempt);
  }

  void attemptEnds(CallAttempt<?, ?> attempt) {
    inFlight.remove(attempt);
  }

  /**
   * Ends the attempts in flight when the connection stays open for other users. The path must be
   * closed first.
   */
  public void endAttempts() {
    inFlight.forEach(CallAttempt::cancel);
  }

  /** Ends the calls that wait for a retry. Afterwards, new calls are refused. */
  public void close() {
    closed = true;
    waiting.forEach(call -> call.end(CsiCancelledException.Reason.CLOSED));
  }

  /**
   * Forgets the secrets that were sent over this path. Must be called only when no more answers can
   * arrive.
   */
  public void forget() {
    sensitive.clear();
  }
}
