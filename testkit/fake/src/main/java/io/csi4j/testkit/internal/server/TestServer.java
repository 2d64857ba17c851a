package io.csi4j.testkit.internal.server;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.model.PluginClock;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server of the testkit, with its threads, clock, sockets, waiting calls, and lifecycle.
 * Subclasses decide where the server listens and how it handles a call.
 *
 * <p>One lock guards the lifecycle (start, stop, close). The lifecycle methods are idempotent and
 * safe for use by many threads.
 */
public abstract class TestServer {

  /** Maximum time to wait until each call has reached a point where it waits. */
  private static final Duration REST_LIMIT = Duration.ofSeconds(10);

  /** Maximum time that a stop waits for work in progress. */
  private static final Duration WORK_LIMIT = Duration.ofSeconds(2);

  private final String kind;
  private final CallThreads callThreads;
  private final PluginWorkers workers;
  private final PluginSockets sockets;
  private final PluginClock clock;
  private final HoldingGate gate;
  private final HoldingGate pen;
  private final Map<CallStream, FaultedCall> open = new HashMap<>();
  private final ReentrantLock life = new ReentrantLock();

  /** Sockets of the current life, or of the last one. */
  private volatile List<SocketSite> sites = List.of();

  /** Number of stops so far. A call that arrived before the last stop does not continue. */
  private final AtomicInteger stops = new AtomicInteger();

  // Both fields are written under the lifecycle lock.
  private volatile boolean running;
  private boolean closed;

  /** The threads on which calls continue from one step to the next. */
  protected enum CallThreads {
    /** Worker threads, which a step may block. */
    WORKERS,
    /** The thread that serves the sockets, so that a call never changes threads. */
    EVENT_LOOP
  }

  /** A task that may fail with an {@code IOException}. */
  interface DiskWork {
    void run() throws IOException;
  }

  /**
   * Creates a server that does not listen yet and has no threads or files.
   *
   * @param kind the kind of server, for texts about internal failures
   * @param threads the prefix of the thread names
   * @param given the clock; null for real time
   */
  protected TestServer(
      String kind, String threads, @Nullable PluginClock given, CallThreads callThreads) {
    this.kind = kind;
    this.callThreads = callThreads;
    this.workers = new PluginWorkers(threads(threads + "-worker"));
    this.sockets = new PluginSockets(threads(threads + "-io"));
    Executor calls = callThreads == CallThreads.WORKERS ? workers : sockets::later;
    this.clock = given == null ? new RealClock(sockets.loop(), calls) : given;
    this.gate = new HoldingGate(calls);
    this.pen = new HoldingGate(calls);
    pen.shut();
  }

  private ThreadFactory threads(String name) {
    return PluginThread.factory(this::journal, name);
  }

  // Methods that subclasses implement.

  /** Returns the journal of the server's calls; null if the server keeps no journal. */
  protected @Nullable CallJournal journal() {
    return null;
  }

  /**
   * Opens the listening sockets, for example with {@link #listenAt}. Called at each start, under
   * the lifecycle lock.
   */
  protected abstract void listen() throws IOException;

  /**
   * Records that the server stops. Called on the event loop, after all calls have ended and before
   * their connections break.
   */
  protected void ending() {}

  /** Releases the files that the server holds. Called once, as the last step of closing. */
  protected void closing() throws IOException {}

  // Lifecycle methods.

  /**
   * Starts the server for the first time. If the start fails, closes the server.
   *
   * @throws UncheckedIOException if the server cannot listen; the message names the path and the
   *     reason
   */
  public final void open() {
    boolean opened = false;
    try {
      start();
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** Starts the server, unless it is running. */
  public final void start() {
    exclusively(
        () -> {
          if (closed) {
            throw new IllegalStateException(
                "Starting "
                    + this
                    + " failed: it is closed, and its socket is gone. Open another one.");
          }
          if (!running) {
            listen();
            running = true;
          }
        });
  }

  /** Stops the server like a killed process, unless it is already stopped. */
  public final void stop() {
    exclusively(
        () -> {
          if (running) {
            endLife();
          }
        });
  }

  public final void restart() {
    restart(() -> {});
  }

  /** Stops the server, runs {@code between}, and starts the server again. */
  final void restart(DiskWork between) {
    exclusively(
        () -> {
          stop();
          between.run();
          start();
        });
  }

  /**
   * Stops the server on behalf of a call. Does nothing if the server has stopped since the call
   * arrived. Also does nothing if the thread is interrupted, because the server is then being
   * closed and waits for this call.
   */
  final void stop(int lifeOfCall) {
    try {
      life.lockInterruptibly();
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      if (lifeOfCall == stops.get()) {
        stop();
      }
    } finally {
      life.unlock();
    }
  }

  /** Stops the server, and removes its sockets. */
  public final void close() {
    exclusively(
        () -> {
          if (closed) {
            return;
          }
          stop();
          closed = true;
          workers.close();
          sockets.close();
          try {
            sockets.removeFiles();
          } finally {
            closing();
          }
        });
  }

  public final boolean listens() {
    return running;
  }

  /** Returns the endpoint of the first socket. */
  public final CsiEndpoint endpoint() {
    return CsiEndpoint.of(sites.get(0).socket());
  }

  /** Sockets of the current life, or of the last one. */
  protected final List<SocketSite> sites() {
    return sites;
  }

  /** Runs the task while no other thread starts, stops or closes the server. */
  final void exclusively(DiskWork work) {
    life.lock();
    try {
      work.run();
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      life.unlock();
    }
  }

  interface Entrance {
    /** Receives a complete call that arrived at this site. Runs on the event loop. */
    void enter(SocketSite site, String path, SentHeaders sent, byte[] message, CallStream caller);
  }

  /**
   * Listens at every site. If one site fails, stops listening at all sites. Called under the
   * lifecycle lock.
   */
  final void listenAt(List<SocketSite> all, Entrance entrance) throws IOException {
    sites = all;
    try {
      sockets.listen(all, site -> stream -> served(stream, site, entrance));
    } catch (IOException e) {
      endLife();
      throw e;
    }
  }

  /** Returns the stream of a call that this server answers itself. The request is one message. */
  private CallStream served(Channel stream, SocketSite site, Entrance entrance) {
    return new CallStream(stream, this) {
      @Override
      protected void enter(Http2Headers asked, ByteBuf complete) {
        try {
          byte[] message = Framing.unpacked(complete);
          entrance.enter(site, String.valueOf(asked.path()), SentHeaders.of(asked), message, this);
        } catch (Framing.UnreadableException e) {
          fail(e.code(), String.valueOf(e.getMessage()));
        }
      }
    };
  }

  /** Records the socket of a subclass that opens its own single socket. */
  protected final void site(SocketSite only) {
    sites = List.of(only);
  }

  private void endLife() {
    running = false;
    sockets.abort(
        () -> {
          stops.incrementAndGet();
          breakCalls();
          ending();
        });
    // All waiting calls have ended. After a restart, the server is not frozen.
    pen.flush();
    gate.open();
    workers.awaitIdle(WORK_LIMIT);
  }

  // The following methods handle open calls, and run on the event loop. A call is open while its
  // stream is open.

  protected final void came(FaultedCall call) {
    open.put(call.caller(), call);
  }

  /**
   * Handles the end of a caller's stream. If the call has not ended, the caller has abandoned it.
   */
  final void abandoned(CallStream caller) {
    FaultedCall call = open.remove(caller);
    boolean unused = call != null && call.ended(new CallEnd.Abandoned());
  }

  protected final void breakCalls() {
    open.values().forEach(TestServer::endBroken);
  }

  final void breakConnection(Channel connection) {
    open.values().stream()
        .filter(call -> call.caller().connection() == connection)
        .forEach(TestServer::endBroken);
    PluginSockets.breakOff(connection);
  }

  private static void endBroken(FaultedCall call) {
    boolean unused = call.ended(new CallEnd.Broken());
  }

  // Methods that calls use.

  /** Returns the clock of the server. */
  public final PluginClock clock() {
    return clock;
  }

  protected final PluginSockets sockets() {
    return sockets;
  }

  final PluginWorkers workers() {
    return workers;
  }

  /** Returns the gate before each step of a call. The gate is shut while the server is frozen. */
  protected final HoldingGate gate() {
    return gate;
  }

  /** Returns the gate that holds hanging calls. */
  protected final HoldingGate pen() {
    return pen;
  }

  /** Returns the number of stops so far, which identifies the current run of the server. */
  final int life() {
    return stops.get();
  }

  final String ownFailure(Throwable failure) {
    return "The " + kind + " failed itself: " + failure;
  }

  /** Runs a call on this thread until the call waits, does its work, or ends. */
  final void travel(Runnable way) {
    if (callThreads == CallThreads.WORKERS) {
      workers.travel(way);
    } else {
      way.run();
    }
  }

  /** Runs the task after this time, unless the server has been closed by then. */
  final void after(Duration time, Runnable work) {
    clock.after(
        time,
        () -> {
          if (!workers.isClosed()) {
            work.run();
          }
        });
  }

  /**
   * Runs test code, which may block. Then runs the returned task on the threads where calls
   * continue.
   */
  final void runTestCode(Supplier<Runnable> code) {
    if (callThreads == CallThreads.WORKERS) {
      code.get().run();
    } else {
      workers.execute(() -> sockets.later(code.get()));
    }
  }

  public void release() {
    // Waits for calls that are about to hang, so that they are released as well.
    workers.awaitRest(REST_LIMIT);
    pen.flush();
  }

  public void freeze() {
    gate.shut();
    workers.awaitRest(REST_LIMIT);
  }

  public void thaw() {
    gate.open();
  }
}
