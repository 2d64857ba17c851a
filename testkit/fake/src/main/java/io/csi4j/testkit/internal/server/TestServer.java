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
 * A server of the testkit: its threads, its time, its sockets, the places where its calls wait, and
 * its life. Subclasses state where it listens, and what becomes of a call.
 *
 * <p>The life (start, stop, close) goes under one lock; calls never take it. Every method of the
 * life does nothing where there is nothing to do, and may be called by many threads.
 */
public abstract class TestServer {

  /** Longest wait for calls that are on their way to the next place where they wait. */
  private static final Duration REST_LIMIT = Duration.ofSeconds(10);

  /** Longest wait of a stop for work that is under way. */
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

  /** The sockets of the present life, or of the last one. */
  private volatile List<SocketSite> sites = List.of();

  /** Number of its stops: a call of an earlier life goes no further. */
  private final AtomicInteger stops = new AtomicInteger();

  // Set under the lock.
  private volatile boolean running;
  private boolean closed;

  /** The threads on which calls go from one step to the next. */
  protected enum CallThreads {
    /** Threads that a step may block. */
    WORKERS,
    /** The thread of the sockets, so that a call changes threads nowhere on its way. */
    EVENT_LOOP
  }

  /** Work that may fail with an exception of the disk. */
  interface DiskWork {
    void run() throws IOException;
  }

  /**
   * A server that does not listen yet, and has neither thread nor file.
   *
   * @param kind its kind, for the text of its own failures
   * @param threads the beginning of the names of its threads
   * @param given its time; null for real time
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

  // What a subclass states.

  /** The journal of its calls; null if it keeps none. */
  protected @Nullable CallJournal journal() {
    return null;
  }

  /** Listens, with {@link #listenAt} or otherwise. Called at each start, under the lock. */
  protected abstract void listen() throws IOException;

  /** Notes its end. Called on the event loop, when its calls have ended and connections break. */
  protected void ending() {}

  /** Releases the files that it holds. Called once, when everything else has ended. */
  protected void closing() throws IOException {}

  // The life.

  /**
   * Listens for the first time; closes what it has begun if that fails.
   *
   * @throws UncheckedIOException if it cannot listen, saying where and why
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

  /** Listens, unless it does. */
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

  /** Stops like a killed process, unless it has stopped. */
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

  /** Stops, and starts again once this was done. */
  final void restart(DiskWork between) {
    exclusively(
        () -> {
          stop();
          between.run();
          start();
        });
  }

  /** Stops, unless it has stopped since that life, or is being closed, which waits for this. */
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

  /** Stops, and removes its sockets. */
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

  /** Where it listens first of all. */
  public final CsiEndpoint endpoint() {
    return CsiEndpoint.of(sites.get(0).socket());
  }

  /** The sockets of the present life, or of the last one. */
  protected final List<SocketSite> sites() {
    return sites;
  }

  /** Does this while no other thread starts, stops or closes it. */
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
    /** A call came in at this site, complete. On the event loop. */
    void enter(SocketSite site, String path, SentHeaders sent, byte[] message, CallStream caller);
  }

  /** Listens at every site, or at none, and stops then. Under the lock. */
  final void listenAt(List<SocketSite> all, Entrance entrance) throws IOException {
    sites = all;
    try {
      sockets.listen(all, site -> stream -> served(stream, site, entrance));
    } catch (IOException e) {
      endLife();
      throw e;
    }
  }

  /** The stream of a call that the server answers itself: its request is one message. */
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

  /** Has this socket, at which it listens on its own. */
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
    // The waiting calls have died; none is frozen after a restart.
    pen.flush();
    gate.open();
    workers.awaitIdle(WORK_LIMIT);
  }

  // Its open calls: those whose stream is open. On the event loop.

  protected final void came(FaultedCall call) {
    open.put(call.caller(), call);
  }

  /** The stream of a caller has closed: a call that has not ended was abandoned. */
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

  // What calls need.

  /** Its time. */
  public final PluginClock clock() {
    return clock;
  }

  protected final PluginSockets sockets() {
    return sockets;
  }

  final PluginWorkers workers() {
    return workers;
  }

  /** The gate at which every step passes; shut while the server is frozen. */
  protected final HoldingGate gate() {
    return gate;
  }

  /** The place where calls hang. */
  protected final HoldingGate pen() {
    return pen;
  }

  /** The number of the present life. */
  final int life() {
    return stops.get();
  }

  final String ownFailure(Throwable failure) {
    return "The " + kind + " failed itself: " + failure;
  }

  /** Brings a call on its way, on this thread, until it waits, works, or has ended. */
  final void travel(Runnable way) {
    if (callThreads == CallThreads.WORKERS) {
      workers.travel(way);
    } else {
      way.run();
    }
  }

  /** Does this when so much time has passed, unless it is closed by then. */
  final void after(Duration time, Runnable work) {
    clock.after(
        time,
        () -> {
          if (!workers.isClosed()) {
            work.run();
          }
        });
  }

  /** Runs code of a test, which may block, and what it returns where calls go on. */
  final void runTestCode(Supplier<Runnable> code) {
    if (callThreads == CallThreads.WORKERS) {
      code.get().run();
    } else {
      workers.execute(() -> sockets.later(code.get()));
    }
  }

  public void release() {
    // Calls on the way into the pen get there first, and out again.
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
