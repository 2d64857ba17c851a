package io.csi4j.volume.internal.real;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeService;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.CallQueue;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.link.PluginLink;
import io.csi4j.volume.internal.link.SecretQuestions;
import io.csi4j.volume.internal.path.PathView;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.probe.PluginFacts;
import io.csi4j.volume.internal.probe.PluginProcesses;
import io.csi4j.volume.internal.text.TimeText;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Failures;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.Scheduler.Timer;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.WorkContext;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A plugin behind a socket. The connection is made on first use. A call that waits in the queue or
 * for the connection does not block a thread.
 *
 * <p>A call goes only to the plugin process that {@link #instance} named when the call was
 * requested. If another process has replaced that process, the call ends as not sent, and {@link
 * #instance} names the new process from then on.
 */
final class CsiNodePlugin implements NodePlugin {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");

  private final PluginBinding binding;
  private final PathView view;
  private final Ground ground;
  private final PluginLink link;
  private final PluginProcesses.Current process;
  private final PluginFacts facts;
  private final CallQueue queue;
  private final Set<OpenCall> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile PluginAnswer.@Nullable Down barred;
  private volatile @Nullable CsiNodePlugin successor;
  private volatile @Nullable String retired;

  /**
   * The dependencies that all plugins share.
   *
   * @param scheduler runs the preparation of calls
   * @param clock the clock
   * @param processes identifies the processes behind sockets
   * @param connections the connections to plugins
   * @param secrets requests secrets from the host
   */
  record Ground(
      Scheduler scheduler,
      Clock clock,
      PluginProcesses processes,
      PluginConnections connections,
      SecretQuestions secrets) {

    /**
     * Runs work on a thread of the manager, or on the calling thread if the manager accepts no more
     * work.
     */
    void soon(Runnable work) {
      try {
        scheduler.execute(work);
      } catch (RuntimeException | Error refused) {
        Failures.rethrowEnd(refused);
        work.run();
      }
    }
  }

  CsiNodePlugin(PluginBinding binding, PathView view, Ground ground) {
    this.binding = binding;
    this.view = view;
    this.ground = ground;
    this.link = ground.connections().link(binding.endpoint(), options(binding));
    this.process = ground.processes().current();
    this.facts =
        new PluginFacts(link, process, binding.connectOptions().requireReady(), ground::soon);
    this.queue = new CallQueue(binding.policy().callsInFlight());
  }

  /**
   * Returns the options for a connection. A call does not wait for the socket of an unavailable
   * plugin, because the engine repeats the call. Answers are handled on the I/O thread, unless the
   * host has set listeners or an executor for the connection.
   */
  private static ConnectOptions options(PluginBinding binding) {
    ConnectOptions given = binding.connectOptions().toBuilder().waitForSocket(false).build();
    return given.listeners().isEmpty() && given.callbackExecutor().isEmpty()
        ? given.toBuilder().callbacksInPlace(true).build()
        : given;
  }

  @Override
  public MountPolicy policy() {
    return binding.policy();
  }

  @Override
  public SecretsProvider storageSecrets() {
    return binding.storageSecrets();
  }

  @Override
  public String instance() {
    return process.word();
  }

  @Override
  public Optional<String> otherName() {
    return facts
        .name()
        .map(PluginName::value)
        .filter(name -> !name.equals(binding.id().value()))
        .filter(name -> binding.connectOptions().requiredName().isEmpty());
  }

  @Override
  public boolean mayStillRun(String instance) {
    return ground.processes().isRunning(instance);
  }

  @Override
  public Optional<PluginAnswer.Down> barred() {
    // Only an unhealthy plugin gets no calls. A plugin that is known only from an earlier run may
    // be available, and gets releases.
    return Optional.ofNullable(barred)
        .filter(reason -> reason.code() == OperatorCode.PLUGIN_UNHEALTHY);
  }

  /** Sets the reason why no new operations may start with the plugin; null allows them again. */
  void bar(PluginAnswer.@Nullable Down reason) {
    barred = reason;
  }

  /**
   * Queries the capabilities of the plugin. If this object has been replaced, even during the
   * query, its successor is queried instead.
   */
  @Override
  public void facts(Consumer<PluginAnswer> then) {
    facts(then, false);
  }

  @Override
  public void knownFacts(Consumer<PluginAnswer> then) {
    facts(then, true);
  }

  private void facts(Consumer<PluginAnswer> then, boolean knownAreEnough) {
    CsiNodePlugin next = successor;
    String gone = retired;
    PluginAnswer.Down reason = gone == null ? barred : new PluginAnswer.Down(gone);
    if (next != null) {
      next.facts(then, knownAreEnough);
    } else if (reason != null) {
      then.accept(reason);
    } else {
      Consumer<PluginAnswer> told =
          answer -> {
            CsiNodePlugin since = answer instanceof PluginAnswer.Down ? successor : null;
            if (since == null) {
              then.accept(answer);
            } else {
              since.facts(then, knownAreEnough);
            }
          };
      if (knownAreEnough) {
        facts.known(told);
      } else {
        facts.ask(told);
      }
    }
  }

  // ---- calls

  @Override
  public Optional<CsiEndpoint> endpoint() {
    return Optional.of(binding.endpoint());
  }

  @Override
  public void call(NodeCall call, Consumer<Answer> then) {
    call(call, WorkContext.none(), then);
  }

  @Override
  public void call(NodeCall call, WorkContext context, Consumer<Answer> then) {
    OpenCall asked =
        new OpenCall(call, context, process.word(), ground.clock().nanos(), then, this::over);
    open.add(asked);
    String reason = retired;
    if (reason != null) {
      refuse(asked, StatusCode.UNAVAILABLE, reason);
      return;
    }
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there) {
            askForSecrets(there.plugin(), asked);
          } else if (way instanceof PluginLink.Way.Shut shut) {
            String why =
                shut.cause().map(CsiException::failure).map(Answer::text).orElse(shut.text());
            CsiFailure failure = unsent(call, StatusCode.UNAVAILABLE, why);
            asked.refuse(new Answer(Optional.empty(), Optional.of(failure), shut.cause()));
          }
        });
    if (asked.isWaiting()) {
      asked.timer(
          ground
              .scheduler()
              .after(
                  deadline(call),
                  () -> refuse(asked, StatusCode.DEADLINE_EXCEEDED, overdue(call))));
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // equal calls are distinct calls
  public boolean isSent(NodeCall call) {
    return open.stream().noneMatch(asked -> asked.call() == call && asked.isWaiting());
  }

  /**
   * Requests the secrets of a call before the call enters the queue, because a slow provider must
   * not delay the plugin's other calls.
   */
  private void askForSecrets(CsiPlugin plugin, OpenCall asked) {
    NodeCall call = asked.call();
    if (!call.takesSecrets()) {
      enter(plugin, asked, Secrets.empty());
      return;
    }
    // The limit for the secrets ends before the call's own limit. Otherwise the call's timer would
    // report the wrong reason, namely that the call waited in the queue.
    Duration left = left(asked);
    Duration most = left.minus(left.dividedBy(10));
    ground
        .secrets()
        .ask(binding.id(), call.secrets(), call.operation(), most)
        .whenComplete(
            (secrets, missing) -> {
              if (missing == null) {
                enter(plugin, asked, secrets);
              } else {
                refuse(
                    asked,
                    StatusCode.UNAUTHENTICATED,
                    "the call was not sent: " + missing.getMessage());
              }
            });
  }

  private Duration left(OpenCall asked) {
    return deadline(asked.call()).minusNanos(ground.clock().nanos() - asked.began());
  }

  private Duration deadline(NodeCall call) {
    Duration most = policy().attemptDeadline();
    return call.limit().filter(limit -> limit.compareTo(most) < 0).orElse(most);
  }

  /**
   * Sends the call on the calling thread, if the call need not wait and sending it cannot block.
   */
  private void enter(CsiPlugin plugin, OpenCall asked, Secrets secrets) {
    Runnable sending = () -> sendOrGiveUp(plugin, asked, secrets);
    if (!queue.enterNow(() -> handOver(asked, sending))) {
      return;
    }
    if (asked.call().takesSecrets() || !PluginProcesses.isQuick(plugin)) {
      handOver(asked, sending);
    } else {
      sending.run();
    }
  }

  private String overdue(NodeCall call) {
    return "the call was not sent: it waited for its turn until its time limit expired, after "
        + TimeText.of(deadline(call))
        + "; the plugin has "
        + policy().callsInFlight()
        + (policy().callsInFlight() == 1 ? " open call" : " open calls")
        + ", or could not be reached";
  }

  /** Continues on a thread that may block. The call already has a slot of the queue. */
  private void handOver(OpenCall asked, Runnable work) {
    try {
      ground.scheduler().execute(work);
    } catch (RejectedExecutionException closed) {
      giveUp(asked, StatusCode.CANCELLED, "the volume manager is closed");
    } catch (RuntimeException | Error refused) {
      Failures.rethrowEnd(refused);
      work.run();
    }
  }

  /**
   * Sends a call that has a slot of the queue. The slot is freed when the call has ended, even if
   * sending fails.
   */
  private void sendOrGiveUp(CsiPlugin plugin, OpenCall asked, Secrets secrets) {
    try {
      send(plugin, asked, secrets);
    } catch (RuntimeException | Error failed) {
      Failures.rethrowEnd(failed);
      Failures.log(LOGGER, "A call to a plugin could not be sent. Report this.", failed);
      giveUp(
          asked,
          StatusCode.UNAVAILABLE,
          "the call was not sent: " + failed.getClass().getSimpleName() + " was thrown before");
    }
  }

  private void send(CsiPlugin plugin, OpenCall asked, Secrets secrets) {
    if (!asked.isWaiting()) {
      queue.leave();
    } else if (asked.instance().isEmpty() || asked.instance().equals(process.called(plugin))) {
      sendNow(plugin, asked, secrets);
    } else {
      // Either the connection was lost or the process was replaced. The process is determined
      // before the call is sent.
      facts.ask(
          answer -> {
            if (asked.instance().equals(process.word())) {
              handOver(asked, () -> sendNow(plugin, asked, secrets));
            } else {
              giveUp(asked, StatusCode.UNAVAILABLE, replaced(answer));
            }
          });
    }
  }

  private static String replaced(PluginAnswer answer) {
    return answer instanceof PluginAnswer.Down down
        ? down.text()
        : "the plugin was restarted since this call was requested, and the call was not sent";
  }

  private void sendNow(CsiPlugin plugin, OpenCall asked, Secrets secrets) {
    Duration left = left(asked);
    if (left.isZero() || left.isNegative()) {
      giveUp(asked, StatusCode.DEADLINE_EXCEEDED, overdue(asked.call()));
      return;
    }
    Function<NodeService.Async, CompletionStage<Optional<Object>>> call;
    try {
      call = NodeCallMapping.of(asked.call(), view, secrets);
    } catch (RuntimeException | Error failed) {
      giveUp(asked, StatusCode.INVALID_ARGUMENT, "the call was not sent: " + failed.getMessage());
      return;
    }
    if (!asked.send()) {
      queue.leave();
      return;
    }
    AtomicReference<CompletionStage<Optional<Object>>> sent =
        new AtomicReference<>(CompletableFuture.failedFuture(new IllegalStateException("unsent")));
    asked.context().run(() -> sent.set(send(plugin, call, left)));
    sent.get()
        .whenComplete(
            (value, thrown) -> {
              Answer answer = thrown == null ? Answer.ok(value) : failed(asked.call(), thrown);
              if (thrown == null && process.isAtOtherEnd(plugin)) {
                end(asked, answer);
              } else {
                // Identifying the process may block, so this must not run on the I/O thread.
                ground.soon(() -> lookAndEnd(plugin, asked, answer));
              }
            });
  }

  private static CompletionStage<Optional<Object>> send(
      CsiPlugin plugin,
      Function<NodeService.Async, CompletionStage<Optional<Object>>> call,
      Duration left) {
    try {
      return call.apply(
          plugin
              .node()
              .with(policy -> policy.attempts(1).attemptDeadline(left).budget(left))
              .async());
    } catch (RuntimeException | Error failed) {
      return CompletableFuture.failedFuture(failed);
    }
  }

  private void lookAndEnd(CsiPlugin plugin, OpenCall asked, Answer answer) {
    try {
      process.look(plugin);
    } catch (RuntimeException | Error failed) {
      Failures.rethrowEnd(failed);
      Failures.log(LOGGER, "The process of a plugin could not be examined. Report this.", failed);
    } finally {
      end(asked, answer);
    }
  }

  private void end(OpenCall asked, Answer answer) {
    try {
      if (answer.failure().filter(CsiNodePlugin::isOfOtherFacts).isPresent()) {
        facts.doubt();
      }
    } finally {
      try {
        queue.leave();
      } finally {
        asked.end(answer);
      }
    }
  }

  /**
   * Returns whether a failure suggests that the plugin's capabilities have changed since they were
   * queried.
   */
  private static boolean isOfOtherFacts(CsiFailure failure) {
    return failure.code() == StatusCode.UNIMPLEMENTED
        || (failure.code() == StatusCode.INVALID_ARGUMENT && !Answer.isSent(failure));
  }

  private void giveUp(OpenCall asked, StatusCode code, String text) {
    queue.leave();
    refuse(asked, code, text);
  }

  /** Ends a call as not sent, unless it was sent already. */
  private void refuse(OpenCall asked, StatusCode code, String text) {
    asked.refuse(Answer.failed(unsent(asked.call(), code, text)));
  }

  private CsiFailure unsent(NodeCall call, StatusCode code, String why) {
    return describe(call, code, Outcome.SETTLED).why(why).build();
  }

  private CsiFailure.Builder describe(NodeCall call, StatusCode code, Outcome outcome) {
    return CsiFailure.builder(binding.endpoint(), code, outcome).operation(call.operation());
  }

  private Answer failed(NodeCall call, Throwable thrown) {
    Throwable cause = Unwrapped.of(thrown);
    return cause instanceof CsiException failed
        ? Answer.failed(failed)
        : Answer.failed(
            describe(call, StatusCode.INTERNAL, Outcome.UNCERTAIN)
                .attempts(1)
                .why("the call failed on this side: " + cause)
                .build());
  }

  private void over(OpenCall ended) {
    open.remove(ended);
    closeIfIdle();
  }

  // ---- its end

  /**
   * Sends no further call, and closes the connection when the last open call has been answered.
   *
   * @param next the plugin that replaces this one, if there is one
   */
  void retire(String reason, @Nullable CsiNodePlugin next) {
    successor = next;
    retired = reason;
    refuseWaiting(reason);
    closeIfIdle();
  }

  private void closeIfIdle() {
    String reason = retired;
    if (reason != null && open.isEmpty() && closing.compareAndSet(false, true)) {
      var unused = link.closeAside(reason);
    }
  }

  /**
   * Ends the waiting calls and closes the connection. Returns the thread that closes it, if there
   * is one.
   */
  Optional<Thread> close(String reason) {
    closing.set(true);
    retired = reason;
    refuseWaiting(reason);
    return link.closeAside(reason);
  }

  private void refuseWaiting(String reason) {
    open.forEach(each -> refuse(each, StatusCode.UNAVAILABLE, reason));
  }

  /** A requested call, which receives exactly one answer. */
  static final class OpenCall {

    private final NodeCall call;
    private final WorkContext context;
    private final String instance;
    private final long began;
    private final Consumer<Answer> then;
    private final Consumer<OpenCall> whenOver;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile @Nullable Timer timer;

    private enum State {
      WAITING,
      SENT,
      ANSWERED
    }

    /**
     * Creates a waiting call.
     *
     * @param instance the process that the call is for; empty if the process is not known
     * @param began the time of the request by the manager's clock, in nanoseconds
     */
    OpenCall(
        NodeCall call,
        WorkContext context,
        String instance,
        long began,
        Consumer<Answer> then,
        Consumer<OpenCall> whenOver) {
      this.call = call;
      this.context = context;
      this.instance = instance;
      this.began = began;
      this.then = then;
      this.whenOver = whenOver;
    }

    NodeCall call() {
      return call;
    }

    WorkContext context() {
      return context;
    }

    String instance() {
      return instance;
    }

    long began() {
      return began;
    }

    boolean isWaiting() {
      return state.get() == State.WAITING;
    }

    /** Sets the timer that ends the call if it is still waiting at its time limit. */
    void timer(Timer timer) {
      this.timer = timer;
      if (!isWaiting()) {
        timer.cancel();
      }
    }

    /** Marks the call as sent. Returns false if the call has ended already. */
    boolean send() {
      boolean mine = state.compareAndSet(State.WAITING, State.SENT);
      cancelTimer();
      return mine;
    }

    /** Ends the call as not sent, unless it was sent already. */
    void refuse(Answer answer) {
      if (state.compareAndSet(State.WAITING, State.ANSWERED)) {
        cancelTimer();
        tell(answer);
      }
    }

    /** Ends a call that was sent. */
    void end(Answer answer) {
      if (state.compareAndSet(State.SENT, State.ANSWERED)) {
        tell(answer);
      }
    }

    private void tell(Answer answer) {
      whenOver.accept(this);
      try {
        then.accept(answer);
      } catch (RejectedExecutionException closed) {
        // The manager is closed and no longer handles answers; the record says that the effect of
        // the call is uncertain.
      } catch (RuntimeException | Error failed) {
        Failures.log(LOGGER, "An answer of a plugin could not be handled. Report this.", failed);
      }
    }

    private void cancelTimer() {
      Timer set = timer;
      if (set != null) {
        set.cancel();
      }
    }
  }
}
