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
 * A server of the testkit: its threads, clock, sockets, waiting calls, and lifecycle. Subclasses
 * decide where it listens, and how it handles a call.
 *
 * <p>One lock guards the lifecycle (start, stop, close); calls never acquire it. Lifecycle methods
 * have no effect if there is nothing to do, and many threads may call them.
 */
public abstract class TestServer {

  /** Longest wait for calls to reach their next waiting point. */
  private static final Duration REST_LIMIT = Duration.ofSeconds(10);

  /** Longest wait of a stop for work in progress. */
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

  /** Number of stops: a call of an earlier life does not continue. */
  private final AtomicInteger stops = new AtomicInteger();

  // Written under the lock.
  private volatile boolean running;
  private boolean closed;

  /** The threads on which calls continue from one step to the next. */
  protected enum CallThreads {
    /** Threads that a step may block. */
    WORKERS,
    /** The thread of the sockets, so that a call never changes threads. */
    EVENT_LOOP
  }

  /** A task that may fail with an exception of the disk. */
  interface DiskWork {
    void run() throws IOException;
  }

  /**
   * Creates a server that does not listen yet, and has no threads or files.
   *
   * @param kind the kind of server, for the text of its own failures
   * @param threads the prefix of its threads' names
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

  // Implemented by a subclass.

  /** Returns the journal of the server's calls; null if it keeps none. */
  protected @Nullable CallJournal journal() {
    return null;
  }

  /** Listens, with {@link #listenAt} or otherwise. Called at each start, under the lock. */
  protected abstract void listen() throws IOException;

  /**
   * Records the end of the server. Called on the event loop, when the calls have ended and
   * connections break.
   */
  protected void ending() {}

  /** Releases the files that the server holds. Called once, after everything else has ended. */
  protected void closing() throws IOException {}

  // Lifecycle.

  /**
   * Listens for the first time; if that fails, closes everything opened so far.
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

  /** Listens, unless the server is listening. */
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

  /** Stops like a killed process, unless the server is stopped. */
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

  /** Stops, runs {@code between}, and starts again. */
  final void restart(DiskWork between) {
    exclusively(
        () -> {
          stop();
          between.run();
          start();
        });
  }

  /**
   * Stops, unless the server has stopped since that life, or is being closed, as closing waits for
   * this call.
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

  /** Stops, and removes the sockets. */
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
    /** Receives a complete call at this site. Runs on the event loop. */
    void enter(SocketSite site, String path, SentHeaders sent, byte[] message, CallStream caller);
  }

  /** Listens at every site; if one fails, stops listening at all. Called under the lock. */
  final void listenAt(List<SocketSite> all, Entrance entrance) throws IOException {
    sites = all;
    try {
      sockets.listen(all, site -> stream -> served(stream, site, entrance));
    } catch (IOException e) {
      endLife();
      throw e;
    }
  }

  /** Returns the stream of a call that the server answers itself: the request is one message. */
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

  /** Records the only socket of a subclass that listens on its own. */
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
    // The waiting calls have ended; none is frozen after a restart.
    pen.flush();
    gate.open();
    workers.awaitIdle(WORK_LIMIT);
  }

  // Adds an open call, one whose stream is open. Runs on the event loop.

  protected final void came(FaultedCall call) {
    open.put(call.caller(), call);
  }

  /** Handles the end of a caller's stream: a call that has not ended was abandoned. */
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

  // Used by calls.

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

  /** Returns the gate that every step passes; it is shut while the server is frozen. */
  protected final HoldingGate gate() {
    return gate;
  }

  /** Returns the gate that holds hanging calls. */
  protected final HoldingGate pen() {
    return pen;
  }

  /** Returns the number of the current life. */
  final int life() {
    return stops.get();
  }

  final String ownFailure(Throwable failure) {
    return "The " + kind + " failed itself: " + failure;
  }

  /** Runs a call on this thread until it waits, works, or has ended. */
  final void travel(Runnable way) {
    if (callThreads == CallThreads.WORKERS) {
      workers.travel(way);
    } else {
      way.run();
    }
  }

  /** Runs the task after this time, unless the server is closed by then. */
  final void after(Duration time, Runnable work) {
    clock.after(
        time,
        () -> {
          if (!workers.isClosed()) {
            work.run();
          }
        });
  }

  /** Runs test code, which may block, and then runs the returned task where calls continue. */
  final void runTestCode(Supplier<Runnable> code) {
    if (callThreads == CallThreads.WORKERS) {
      code.get().run();
    } else {
      workers.execute(() -> sockets.later(code.get()));
    }
  }

  public void release() {
    // Calls on their way to the pen arrive there first, so that they are released as well.
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
