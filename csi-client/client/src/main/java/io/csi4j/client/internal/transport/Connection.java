package io.csi4j.client.internal.transport;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.StatusCode;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadIoEventLoop;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one plugin: a channel, its single I/O thread, and the threads for callbacks.
 * The channel reconnects on its own. After each reconnect, the connection checks again which user
 * runs the plugin.
 */
public final class Connection implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.client");

  private static final Backoff PAUSES = Backoff.exact(Duration.ofMillis(10), Duration.ofMillis(50));
  private static final long LONGEST_TRY_MILLIS = 5_000;

  private final CsiEndpoint endpoint;
  private final ConnectOptions options;
  private final UnixSockets sockets;
  private final EventLoop loop;
  private final ManagedChannel channel;
  private final CallbackThreads callbacks = new CallbackThreads();
  private final AtomicLong generation = new AtomicLong();
  private final List<Consumer<Boolean>> watchers = new CopyOnWriteArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final FloodBrake floods = new FloodBrake();
  private final AtomicReference<CompletableFuture<Void>> nextAttempt =
      new AtomicReference<>(new CompletableFuture<>());
  private volatile CompletableFuture<Void> attempt = new CompletableFuture<>();
  private final AtomicBoolean watched = new AtomicBoolean();
  private volatile @Nullable PeerGate newest;

  /** Identity of the socket file of the newest attempt to connect. */
  private volatile @Nullable Object file;

  private volatile @Nullable Thread ioThread;

  private Connection(CsiEndpoint endpoint, ConnectOptions options, UnixSockets sockets) {
    this.endpoint = endpoint;
    this.options = options;
    this.sockets = sockets;
    this.loop = new Loop(this::newIoThread, sockets.handler());
    this.channel = newChannel();
    watchForLoss();
  }

  /**
   * Increases the generation when gRPC stops using a connection. From then on, calls use another
   * connection, even while the old socket is still open.
   */
  private void watchForLoss() {
    ConnectivityState state = channel.getState(false);
    if (state != ConnectivityState.SHUTDOWN) {
      channel.notifyWhenStateChanged(
          state,
          () -> {
            if (state == ConnectivityState.READY) {
              generation.incrementAndGet();
              watchers.forEach(watcher -> watcher.accept(false));
            }
            if (channel.getState(false) == ConnectivityState.READY) {
              watchers.forEach(watcher -> watcher.accept(true));
            }
            watchForLoss();
          });
    }
  }

  /**
   * Passes the current state of the connection to the watcher, and later each change: true for a
   * new connection, false for a loss. The watcher must be quick, and may receive the same value
   * twice.
   *
   * @return an action that ends the notifications
   */
  public Runnable watch(Consumer<Boolean> watcher) {
    watchers.add(watcher);
    watcher.accept(channel.getState(false) == ConnectivityState.READY);
    return () -> watchers.remove(watcher);
  }

  /**
   * Connects to the socket at {@code endpoint}, and waits for it if necessary. Sends nothing to the
   * plugin except the HTTP/2 preface.
   *
   * @param deadline the time limit
   * @throws CsiConnectException if the connection is not made, with the reason; nothing is left
   *     open
   */
  public static Connection open(CsiEndpoint endpoint, ConnectOptions options, Duration deadline) {
    Connection connection = to(endpoint, options);
    boolean connected = false;
    try {
      connection.await(options, deadline);
      connected = true;
      return connection;
    } finally {
      if (!connected) {
        connection.close();
      }
    }
  }

  /**
   * Creates a connection to the socket at {@code endpoint} without connecting it.
   *
   * @throws CsiConnectException if no socket on this machine can have this path
   */
  public static Connection to(CsiEndpoint endpoint, ConnectOptions options) {
    Stopwatch waiting = new Stopwatch(endpoint, options.deadline());
    Path path = endpoint.path();
    UnixSockets sockets;
    try {
      sockets = UnixSockets.choose(options, path);
    } catch (UnixSockets.Unavailable e) {
      throw waiting.failure(e.problem(), e.getCause());
    }
    int length = SafeText.utf8Length(path.toString());
    if (length > sockets.longestPath()) {
      throw waiting.failure(tooLong(length, sockets.longestPath()), null);
    }
    FrameLogSilencer.install();
    try {
      return new Connection(endpoint, options, sockets);
    } catch (RuntimeException e) {
      throw waiting.failure(UnixSockets.unusable(e), e);
    }
  }

  /**
   * Waits until the socket is connected as these options require; several callers may wait, each
   * with its own deadline.
   *
   * @throws CsiConnectException if the connection is not made, with the reason
   */
  public void await(ConnectOptions how, Duration deadline) {
    Stopwatch waiting = new Stopwatch(endpoint, deadline);
    try {
      connect(how, waiting);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw waiting.failure(interrupted(), e);
    }
  }

  /**
   * Returns whether a caller that connects now with these options can share this connection. The
   * options must allow sharing the socket, and the plugin must not have recreated its socket since
   * the connection was made.
   */
  public boolean isGoodFor(ConnectOptions others) {
    if (closed.get() || !options.sharesSocketWith(others)) {
      return false;
    }
    Object there = SocketFile.identity(endpoint.path());
    return there == null
        || there.equals(file)
        || channel.getState(false) != ConnectivityState.READY;
  }

  /** The channel; reconnects on its own when it is used. */
  public ManagedChannel channel() {
    return channel;
  }

  /** A number that grows whenever a socket is connected, and whenever a connection is lost. */
  public long generation() {
    return generation.get();
  }

  /** Returns the process that listens on the socket, as found by the newest attempt to connect. */
  public PeerCredentials peer() {
    PeerGate gate = newest;
    return gate == null ? PeerCredentials.unknown() : gate.peer();
  }

  /** The transport; never {@link ConnectOptions.Transport#AUTO}. */
  public ConnectOptions.Transport transport() {
    return sockets.transport();
  }

  /**
   * Lets the channel reconnect immediately, without the pause after a failure. A call that is made
   * before the channel is connected still fails with the last failure, unless the call waits for
   * the channel to be ready.
   */
  public void resetBackoff() {
    channel.resetConnectBackoff();
  }

  /**
   * Returns empty if a call can be sent now. After a failed attempt to connect, gRPC fails each
   * call with the same failure until a connection is made. So this method starts another attempt as
   * soon as possible. The returned future completes when that attempt has ended, or after {@code
   * limitNanos}. The future may complete on the I/O thread.
   */
  public Optional<CompletableFuture<Void>> reconnecting(long limitNanos) {
    if (channel.getState(false) != ConnectivityState.TRANSIENT_FAILURE) {
      return Optional.empty();
    }
    // An attempt that has already begun may have used the previous socket.
    CompletableFuture<Void> mine = nextAttempt.get().copy();
    try {
      ScheduledFuture<?> overdue =
          loop.schedule(
              () -> mine.complete(null),
              Math.min(TimeUnit.NANOSECONDS.toMillis(limitNanos) + 1, LONGEST_TRY_MILLIS),
              TimeUnit.MILLISECONDS);
      mine.whenComplete((none, thrown) -> overdue.cancel(false));
    } catch (RejectedExecutionException closing) {
      return Optional.empty();
    }
    // All callers share one state listener, because gRPC keeps each listener until the state
    // changes, which may take days.
    if (watched.compareAndSet(false, true)) {
      channel.notifyWhenStateChanged(
          ConnectivityState.TRANSIENT_FAILURE,
          () -> {
            watched.set(false);
            attempt.complete(null);
            nextAttempt.get().complete(null);
          });
    }
    channel.resetConnectBackoff();
    return Optional.of(mine);
  }

  private void attemptEnded(CompletableFuture<Void> ended) {
    ended.complete(null);
    if (nextAttempt.get().getNumberOfDependents() > 0) {
      channel.resetConnectBackoff();
    }
  }

  /**
   * Returns the I/O thread: for timers, never for blocking work. A timer can be cancelled at any
   * time, even after the connection has ended.
   */
  public ScheduledExecutorService loop() {
    return loop;
  }

  /** Returns the executor for blocking work that must not delay callbacks of the host. */
  public Executor aside() {
    return callbacks;
  }

  /**
   * Returns the executor for actions of the host. A task that the host's executor refuses runs on
   * the threads of this connection.
   */
  public Executor callbacks() {
    return callbacks(options);
  }

  /**
   * Returns the executor for actions of a user of this connection with these options. A task that
   * the user's executor refuses or has no thread for runs on the threads of this connection.
   */
  public Executor callbacks(ConnectOptions theirs) {
    if (theirs.callbackExecutor().isEmpty()) {
      return callbacks;
    }
    Executor hosts = theirs.callbackExecutor().get();
    return task -> {
      Once once = new Once(task);
      try {
        hosts.execute(once);
      } catch (RejectedExecutionException | OutOfMemoryError full) {
        callbacks.execute(once);
      }
    };
  }

  /**
   * A task that runs only once, even if it is submitted again after an executor failed: that
   * executor may already have started it.
   */
  private static final class Once implements Runnable {
    private final Runnable task;
    private final AtomicBoolean begun = new AtomicBoolean();

    Once(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (begun.compareAndSet(false, true)) {
        task.run();
      }
    }
  }

  /**
   * Returns the current problem with the socket, to explain a failed call. If the plugin flooded
   * the client during the call, the flood is the problem, even if the plugin is connected again.
   * Otherwise this method checks the socket file and connects to it once, but never waits.
   *
   * @param code the status of the call
   * @param elapsed the duration of the call
   */
  public CsiConnectException diagnose(StatusCode code, Duration elapsed) {
    long now = System.nanoTime();
    ConnectProblem problem = floods.problemSince(now - elapsed.toNanos(), now);
    if (problem == null) {
      problem = SocketFile.inspect(endpoint.path(), options);
    }
    if (problem == null) {
      problem = SocketFile.knock(endpoint.path());
    }
    if (problem == null) {
      PeerGate gate = newest;
      ConnectProblem known = gate == null ? null : gate.problem();
      problem = known != null && !known.mayPass() ? known : lost();
    }
    return problem.toException(endpoint, code, elapsed, null);
  }

  /**
   * Waits until the I/O thread has done its queued work, such as ending cancelled calls. Waits at
   * most for the close timeout. Does nothing on a thread of this connection.
   */
  public void settle() {
    if (loop.inEventLoop() || callbacks.isCurrent()) {
      return;
    }
    CountDownLatch reached = new CountDownLatch(1);
    try {
      loop.execute(reached::countDown);
    } catch (RejectedExecutionException closing) {
      return;
    }
    boolean unused = new Stopwatch(endpoint, options.closeTimeout()).await(reached::await);
  }

  /**
   * Ends the calls in flight, and then all threads. Takes at most the close timeout of the options.
   * If the caller is a thread of this connection, close does not wait for that thread.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    Stopwatch waiting = new Stopwatch(endpoint, options.closeTimeout());
    boolean mayWait = !loop.inEventLoop();
    channel.shutdownNow();
    if (mayWait) {
      waiting.await(channel::awaitTermination);
    }
    var unused = loop.shutdownGracefully(0, Math.max(1, waiting.left()), TimeUnit.NANOSECONDS);
    callbacks.shutdown();
    if (mayWait) {
      waiting.await(loop::awaitTermination);
      Thread thread = ioThread;
      if (thread != null) {
        waiting.await(Termination.of(thread));
      }
      if (!callbacks.isCurrent() && !waiting.await(callbacks::awaitTermination)) {
        callbacks.shutdownNow();
      }
    }
  }

  private Thread newIoThread(Runnable task) {
    Thread thread = new FrameLogSilencer.IoThread(task);
    ioThread = thread;
    return thread;
  }

  private ManagedChannel newChannel() {
    return NettyChannelBuilder.forAddress(new PeerGate.Destination())
        .channelFactory(this::newSocket, PeerGate.Destination.class)
        .eventLoopGroup(loop)
        .usePlaintext()
        // Go clients send this value. By default, gRPC would send the path, which strict servers
        // refuse.
        .overrideAuthority("localhost")
        // gRPC sets this option for TCP sockets. For a UNIX socket, netty would log a warning.
        .withOption(ChannelOption.SO_KEEPALIVE, null)
        .maxInboundMessageSize(options.maxMessageBytes())
        .maxInboundMetadataSize(options.maxMetadataBytes())
        .directExecutor()
        .offloadExecutor(loop)
        .disableRetry()
        .disableServiceConfigLookUp()
        .maxTraceEvents(0)
        .idleTimeout(Long.MAX_VALUE, TimeUnit.DAYS)
        .build();
  }

  /**
   * Creates a socket. gRPC calls this method for each transport, immediately after it has created
   * the loggers of the transport.
   */
  private Channel newSocket() {
    CompletableFuture<Void> begun = nextAttempt.getAndSet(new CompletableFuture<>());
    attempt = begun;
    if (!FrameLogSilencer.install()) {
      throw unavailable("the logger factory of netty was replaced");
    }
    ConnectProblem problem = floods.problem(System.nanoTime());
    if (problem == null) {
      problem = SocketFile.inspect(endpoint.path(), options);
    }
    if (problem != null) {
      loop.execute(() -> attemptEnded(begun));
      throw unavailable(problem.why());
    }
    file = SocketFile.identity(endpoint.path());
    UnixSockets.NewSocket socket = sockets.open();
    PeerGate gate =
        new PeerGate(socket, options.requiredPeerUid(), generation, () -> attemptEnded(begun));
    socket.channel().pipeline().addFirst(gate, new FrameGate(this::flooded, System::nanoTime));
    newest = gate;
    return socket.channel();
  }

  private void flooded(String what) {
    ConnectProblem problem = floods.flooded(what, System.nanoTime());
    LOGGER.log(
        Level.WARNING,
        "Connection to '"
            + SafeText.escape(endpoint.toString())
            + "': "
            + problem.why()
            + ". "
            + problem.advice());
  }

  /**
   * Returns the failure of one attempt to connect. Calls that wait for the attempt end with this
   * status.
   */
  private static StatusRuntimeException unavailable(String why) {
    return Status.UNAVAILABLE.withDescription(why).asRuntimeException();
  }

  private void connect(ConnectOptions how, Stopwatch waiting) throws InterruptedException {
    // An earlier attempt that has ended does not show whether the current socket has a problem.
    PeerGate earlier = newest;
    ConnectProblem last = null;
    for (int looks = 1; ; looks++) {
      ConnectProblem missing = SocketFile.inspect(endpoint.path(), how);
      ConnectivityState state = channel.getState(missing == null);
      if (state == ConnectivityState.READY) {
        return;
      }
      PeerGate gate = newest;
      boolean isEarlier = gate != null && gate == earlier && gate.ended();
      if (isEarlier) {
        gate = null;
      }
      // This state must be read before the problem, because the problem no longer changes after an
      // attempt has ended.
      boolean over = isEarlier || (gate != null && gate.ended());
      ConnectProblem now = missing == null && gate != null ? problemBehind(gate, waiting) : missing;
      boolean sure = missing != null || gate == null || !gate.undecided();
      if (now != null && sure && !(now.mayPass() && isWaitedFor(now, how))) {
        throw waiting.failure(now, null);
      }
      // At first, a new connection looks silent. So an uncertain problem does not replace an
      // earlier problem with the same reason, which may report a closed connection.
      if (now != null && (sure || last == null || last.reason() != now.reason())) {
        last = now;
      }
      long left = waiting.left();
      if (left <= 0) {
        last = last == null ? SocketFile.knock(endpoint.path()) : last;
        throw waiting.failure(last == null ? nothing() : last, null);
      }
      long pause = Math.min(PAUSES.pause(looks).toNanos(), left);
      if (missing != null || (over && state == ConnectivityState.TRANSIENT_FAILURE)) {
        TimeUnit.NANOSECONDS.sleep(pause);
        channel.resetConnectBackoff();
      } else {
        awaitChange(state, pause);
      }
    }
  }

  private static boolean isWaitedFor(ConnectProblem problem, ConnectOptions how) {
    boolean isAbsent =
        problem.reason() == Reason.NO_SUCH_SOCKET || problem.reason() == Reason.NOBODY_LISTENING;
    return !isAbsent || how.waitForSocket();
  }

  private @Nullable ConnectProblem problemBehind(PeerGate gate, Stopwatch waiting) {
    ConnectProblem flood = floods.problemSince(waiting.began, System.nanoTime());
    if (flood != null) {
      return flood;
    }
    return gate.neverConnected() ? SocketFile.knock(endpoint.path()) : gate.problem();
  }

  private void awaitChange(ConnectivityState from, long nanos) throws InterruptedException {
    CountDownLatch changed = new CountDownLatch(1);
    channel.notifyWhenStateChanged(from, changed::countDown);
    boolean unused = changed.await(nanos, TimeUnit.NANOSECONDS);
  }

  private static ConnectProblem tooLong(int length, int limit) {
    return new ConnectProblem(
        Reason.PATH_TOO_LONG,
        "the path has " + length + " bytes, but a socket path may have at most " + limit + " bytes",
        "Let the plugin listen on a shorter path.");
  }

  private static ConnectProblem interrupted() {
    return new ConnectProblem(
        Reason.INTERRUPTED,
        "the thread was interrupted while it waited for the plugin",
        "Connect again from a thread that may block.");
  }

  private static ConnectProblem nothing() {
    return new ConnectProblem(
        Reason.NO_ANSWER,
        "the time limit expired before the first attempt had a result",
        "Allow more time.");
  }

  private static ConnectProblem lost() {
    return new ConnectProblem(
        Reason.NO_ANSWER,
        "the plugin ended the connection; a process listens on the socket again now",
        "Try again, and look at the plugin's log for a crash.");
  }

  /**
   * An event loop whose timers can be cancelled after it has ended.
   *
   * <p>A loop that ends cancels its timers, but another thread may still set a new timer. Netty
   * throws an exception when this timer is cancelled. gRPC cancels the timer of a call before it
   * reports the end of the call, so the exception would prevent that report.
   */
  private static final class Loop extends SingleThreadIoEventLoop {
    Loop(ThreadFactory threads, IoHandlerFactory handler) {
      super(null, threads, handler);
    }

    @Override
    protected void addTask(Runnable task) {
      try {
        super.addTask(task);
      } catch (RejectedExecutionException ended) {
        // Netty submits a cancelled timer only to remove it, and an ended loop has no timers to
        // remove.
        if (!(task instanceof Future<?> timer && timer.isCancelled())) {
          throw ended;
        }
      }
    }
  }

  /** A stopwatch that started when it was created. */
  private static final class Stopwatch {
    private final CsiEndpoint endpoint;
    private final long began = System.nanoTime();
    private final long nanos;

    Stopwatch(CsiEndpoint endpoint, Duration limit) {
      this.endpoint = endpoint;
      // A limit of decades never expires in practice, and does not overflow.
      this.nanos =
          limit.compareTo(Duration.ofDays(9999)) < 0 ? limit.toNanos() : Long.MAX_VALUE / 4;
    }

    long left() {
      return nanos - (System.nanoTime() - began);
    }

    /**
     * Waits for the termination, even if the thread is interrupted. The time is bounded, and the
     * interrupt flag is preserved.
     */
    boolean await(Termination termination) {
      boolean interrupted = false;
      try {
        while (true) {
          try {
            return termination.await(Math.max(0, left()), TimeUnit.NANOSECONDS);
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    CsiConnectException failure(ConnectProblem problem, @Nullable Throwable cause) {
      Duration elapsed = Duration.ofNanos(System.nanoTime() - began);
      return problem.toException(endpoint, problem.code(), elapsed, cause);
    }
  }

  @FunctionalInterface
  private interface Termination {
    boolean await(long time, TimeUnit unit) throws InterruptedException;

    static Termination of(Thread thread) {
      return (time, unit) -> {
        unit.timedJoin(thread, time);
        return !thread.isAlive();
      };
    }
  }
}
