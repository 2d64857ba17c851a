package io.csi4j.testkit.internal.server;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A test plugin but for what it does with a call: its sockets, its faults, its journal, its life.
 *
 * <p>The life (start, stop, replace, close) goes under one lock; calls never take it.
 */
public final class PluginCore {

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Settings settings;
  private final PluginWorkers workers;
  private final @Nullable RealClock ownClock;
  private final PluginClock clock;
  private final PluginJournal journal;
  private final HoldingGate gate;
  private final HoldingGate pen;
  private final FaultBook faults = new FaultBook();
  private final PluginSockets sockets;
  private final ReentrantLock life = new ReentrantLock();
  private volatile PluginShape shape;
  private volatile List<SocketSite> sites = List.of();

  // Guarded by the lock.
  private @Nullable Path socket;
  private @Nullable Path topmostMade;
  private @Nullable Backend backend;
  private @Nullable Reception reception;
  private boolean running;
  private boolean closed;

  /** A core that does not listen yet, and has neither thread nor file. */
  public PluginCore(Settings settings) {
    this.settings = settings;
    this.shape = settings.shape();
    this.workers = new PluginWorkers(threads("worker"));
    PluginClock given = settings.clock();
    this.ownClock = given == null ? new RealClock(workers, threads("timer")) : null;
    this.clock = given == null ? Objects.requireNonNull(ownClock) : given;
    this.journal = new PluginJournal(clock);
    this.gate = new HoldingGate(workers);
    this.pen = new HoldingGate(workers);
    pen.shut();
    this.sockets = new PluginSockets(threads("io"));
  }

  private ThreadFactory threads(String role) {
    return PluginThread.factory(
        this::journal, "csi4j-testkit-" + settings.shape().name().value() + "-" + role);
  }

  /**
   * Listens, and hands every call to {@code backend}. To be called once.
   *
   * @throws UncheckedIOException if it cannot listen; it is closed then
   */
  public void serve(Backend backend) {
    life.lock();
    try {
      this.backend = backend;
      CallRun.CallSurroundings plant =
          new CallRun.CallSurroundings(backend, journal, clock, workers, gate, pen, this::shape);
      reception = new Reception(plant, faults, settings.visiblePaths());
      makeDirectory();
      listen();
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    } finally {
      life.unlock();
    }
  }

  /** Its time. */
  public PluginClock clock() {
    return clock;
  }

  /** Returns its present shape. */
  public PluginShape shape() {
    return shape;
  }

  /** Where it runs. */
  public List<NodeId> nodes() {
    return settings.nodes();
  }

  /** Where the controller is served, and the first node unless on a socket of its own. */
  public CsiEndpoint endpoint() {
    return CsiEndpoint.of(sites.get(0).socket());
  }

  /** Where this node is served. */
  public CsiEndpoint nodeEndpoint(NodeId node) {
    return sites.stream()
        .filter(site -> node.equals(site.node()))
        .findFirst()
        .map(site -> CsiEndpoint.of(site.socket()))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "The plugin has no node "
                        + SafeText.quote(node.value())
                        + ". Its nodes are "
                        + nodes()
                        + "."));
  }

  /** Adds a fault. */
  public FaultRule inject(Fault fault, When when) {
    return faults.add(fault, when);
  }

  /** The faults there are. */
  public List<FaultRule> faults() {
    return faults.rules();
  }

  /** Takes back every fault. */
  public void clearFaults() {
    faults.clear();
  }

  /** Lets hanging calls go on. */
  public void release() {
    // Calls on the way into the pen get there first, and out again.
    workers.awaitRest(PATIENCE);
    pen.flush();
  }

  /** Notes, before it serves, that it lived before and kept what it knew. */
  public void livedBefore() {
    journal.stopped();
  }

  /** Returns the calls. */
  public CallJournal journal() {
    return journal;
  }

  /** Notes that the backend lost what it knew. */
  public void forgot() {
    journal.forgot();
  }

  /** Stops like a killed process. */
  public void stop() {
    life.lock();
    try {
      if (!running) {
        return;
      }
      running = false;
      Reception calls = Objects.requireNonNull(reception);
      sockets.abort(
          () -> {
            calls.kill();
            journal.stopped();
          });
      // The waiting calls have died; none is frozen after a restart.
      pen.flush();
      gate.open();
      workers.awaitIdle(PATIENCE);
    } finally {
      life.unlock();
    }
  }

  /** Listens again. */
  public void start() {
    life.lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "Starting the plugin "
                + shape.name()
                + " failed: it is closed, and its sockets are gone. Open another one.");
      }
      if (!running) {
        listen();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      life.unlock();
    }
  }

  /** New sockets in the place of the old; calls under way lose their callers, and go on. */
  public void replaceSocket() {
    life.lock();
    try {
      if (!running) {
        return;
      }
      Reception calls = Objects.requireNonNull(reception);
      sockets.abort(calls::breakAll);
      listenOrStop(calls);
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      life.unlock();
    }
  }

  /** Stops answering. */
  public void freeze() {
    gate.shut();
    workers.awaitRest(PATIENCE);
  }

  /** Answers again. */
  public void thaw() {
    gate.open();
  }

  /** Comes back as something else. */
  public void upgrade(PluginShape newShape) {
    life.lock();
    try {
      stop();
      shape = newShape;
      start();
    } finally {
      life.unlock();
    }
  }

  /** Stops, and removes what it made in the filesystem. */
  public void close() {
    life.lock();
    try {
      if (closed) {
        return;
      }
      stop();
      closed = true;
      workers.close();
      if (ownClock != null) {
        ownClock.close();
      }
      sockets.close();
      sockets.removeFiles();
      removeDirectories();
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      life.unlock();
    }
  }

  private void listen() throws IOException {
    sockets.refuseToListenOnLoop();
    Reception calls = Objects.requireNonNull(reception);
    Objects.requireNonNull(backend).open();
    sites = SocketSite.of(Objects.requireNonNull(socket), shape, settings.nodes());
    // Before the first call can come in.
    journal.started(shape);
    running = true;
    listenOrStop(calls);
  }

  private void listenOrStop(Reception calls) throws IOException {
    try {
      sockets.listen(sites, calls::at);
    } catch (IOException e) {
      stop();
      throw e;
    }
  }

  private void makeDirectory() throws IOException {
    Path given = settings.socket();
    if (given == null) {
      topmostMade = Files.createTempDirectory("csi4j-testkit-").toAbsolutePath();
      socket = topmostMade.resolve(SocketSite.MAIN);
      return;
    }
    socket = given.toAbsolutePath();
    Path directory = directoryOf(socket);
    try {
      topmostMade = topmostMissing(directory);
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new IOException(
          "Making the directory "
              + SafeText.quote(directory.toString())
              + " for the sockets of the plugin failed: "
              + SafeText.escape(e.toString())
              + ". Give it a directory that it may write into.",
          e);
    }
  }

  /** The first directory on the way to this one that is not there; null if all are. */
  private static @Nullable Path topmostMissing(Path directory) {
    @Nullable Path topmost = null;
    for (Path each = directory; each != null && !Files.exists(each); each = each.getParent()) {
      topmost = each;
    }
    return topmost;
  }

  private static Path directoryOf(Path socket) {
    Path directory = socket.getParent();
    if (directory == null) {
      throw new IllegalArgumentException(
          "A plugin cannot listen on " + SafeText.quote(socket.toString()) + ". Name a file.");
    }
    return directory;
  }

  /** Removes the directories that were made, the innermost first. */
  private void removeDirectories() throws IOException {
    Path top = topmostMade;
    if (top == null) {
      return;
    }
    try {
      Path each = directoryOf(Objects.requireNonNull(socket));
      while (each != null && each.startsWith(top)) {
        if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
          Files.deleteIfExists(each);
        }
        each = each.getParent();
      }
    } catch (DirectoryNotEmptyException e) {
      // Another user keeps something there: it is theirs, with the directories above it.
      topmostMade = null;
    }
  }

  /**
   * The parts that a plugin starts with.
   *
   * @param shape what it is
   * @param nodes where it runs
   * @param socket its main socket, others beside it; null for one in a directory of its own
   * @param clock its time; null for real time
   * @param visiblePaths whether the paths in calls are looked at for the journal
   */
  public record Settings(
      PluginShape shape,
      List<NodeId> nodes,
      @Nullable Path socket,
      @Nullable PluginClock clock,
      boolean visiblePaths) {}
}
