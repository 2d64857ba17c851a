package io.csi4j.testkit.internal.server;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiService;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.internal.proxy.RecordingWriter;
import io.csi4j.testkit.referee.AnswerFinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A proxy but for what it makes of the calls: its socket, its link to the plugin, its faults, its
 * life. Both sides are on one event loop, so that a call changes threads nowhere on its way.
 *
 * <p>It listens while the plugin can be reached, and breaks the connections of callers when the
 * plugin breaks its own: a caller finds what it would find without a proxy.
 */
public final class ProxyCore {

  private static final System.Logger LOG = System.getLogger(ProxyCore.class.getName());

  /** Time between two attempts to listen where something stands in the way. */
  private static final long PAUSE_MILLIS = 100;

  /** The rounds of an event loop in which the end of a connection reaches all of its streams. */
  private static final int ROUNDS = 4;

  private final PluginJournal journal;
  private final PluginWorkers workers;
  private final RealClock clock;
  private final PluginSockets sockets;
  private final FaultBook faults = new FaultBook();
  private final PluginWire link;
  private final ProxyDesk desk;
  private final SocketSite site;
  private final @Nullable Path ownDirectory;
  private final @Nullable RecordingWriter writer;
  private final ReentrantLock life = new ReentrantLock();
  private boolean closed;

  /**
   * The parts that a proxy starts with.
   *
   * @param plugin the socket of the plugin
   * @param socket where it listens; null for a socket in a directory of its own
   * @param node the node of the plugin; null if it is not known
   * @param wholeLife whether the plugin has served nobody before
   * @param recording where calls are written; null for nowhere
   * @param secrets whether secrets are written there, too
   */
  public record Settings(
      CsiEndpoint plugin,
      @Nullable Path socket,
      @Nullable NodeId node,
      boolean wholeLife,
      @Nullable Path recording,
      boolean secrets) {}

  /**
   * Listens, if the plugin does.
   *
   * @throws UncheckedIOException if it cannot listen or record, saying where and why
   */
  public ProxyCore(Settings settings) {
    sockets = new PluginSockets(threads("io"));
    workers = new PluginWorkers(threads("worker"));
    clock = new RealClock(sockets.loop(), threads("timer"));
    journal = new PluginJournal(clock);
    link = new PluginWire(settings.plugin().path(), sockets.loop(), new AsThePluginIs());
    desk = new ProxyDesk(journal, clock, workers, sockets.loop(), faults, link, settings.node());
    if (!settings.wholeLife()) {
      journal.stopped();
    }
    @Nullable RecordingWriter opened = null;
    @Nullable Path made = null;
    try {
      if (settings.recording() != null) {
        opened = RecordingWriter.open(settings.recording(), settings.secrets());
        journal.whenEnded(opened::write);
      }
      Path socket = settings.socket();
      if (socket == null) {
        made = Files.createTempDirectory("csi4j-testkit-").toAbsolutePath();
        socket = made.resolve(SocketSite.MAIN);
      }
      socket = socket.toAbsolutePath();
      if (socket.equals(settings.plugin().path())) {
        throw new IOException(
            "The proxy cannot listen on "
                + SafeText.quote(socket.toString())
                + ", which is the socket of the plugin. Give it another path.");
      }
      site = new SocketSite(socket, EnumSet.allOf(CsiService.class), settings.node());
      ownDirectory = made;
      writer = opened;
      sockets.tryOut(site);
      boolean unused = look();
      if (opened != null) {
        // Only a proxy that has its socket begins a file again.
        opened.begin();
      }
    } catch (IOException e) {
      end(opened);
      discard(made);
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException | Error e) {
      end(opened);
      discard(made);
      throw e;
    }
  }

  private ThreadFactory threads(String role) {
    return PluginThread.factory(this::journal, "csi4j-testkit-proxy-" + role);
  }

  /** Where it listens. */
  public CsiEndpoint endpoint() {
    return CsiEndpoint.of(site.socket());
  }

  /** The calls it has seen. */
  public PluginJournal journal() {
    return journal;
  }

  /** The rules that answers of the plugin broke. */
  public List<AnswerFinding> findings() {
    return desk.findings();
  }

  /** How often methods were called that CSI does not have. */
  public Map<String, Long> unknownMethods() {
    return desk.unknown();
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
    sockets.onLoop(desk.pen()::flush);
  }

  /** Reads from nobody any more. */
  public void freeze() {
    desk.gate().shut();
    sockets.reading(false);
    sockets.onLoop(() -> link.reading(false));
  }

  /** Reads again. */
  public void thaw() {
    desk.gate().open();
    sockets.onLoop(() -> link.reading(true));
    sockets.reading(true);
  }

  /**
   * Looks for the plugin now. The proxy listens after that if it is there, and does not if it is
   * not.
   *
   * @return whether it is there
   */
  public boolean look() {
    if (sockets.loop().inEventLoop()) {
      return link.isUp();
    }
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    Runnable look = () -> link.look(() -> afterSelecting(() -> seen.complete(link.isUp())));
    // A plugin closes its connections when its own selector is asked again.
    afterSelecting(() -> afterSelecting(look));
    return seen.join();
  }

  /**
   * Does it once the selector was asked again: what has ended has been noticed by then, and the
   * kernel knows of a socket that was closed.
   */
  private void afterSelecting(Runnable task) {
    // What is scheduled while the selected channels are served would run before the next look.
    desk.onLoop(
        () -> {
          var unused = sockets.loop().schedule(task, 0, TimeUnit.NANOSECONDS);
        });
  }

  private void inRounds(int left, Runnable task) {
    desk.onLoop(left == 0 ? task : () -> inRounds(left - 1, task));
  }

  /** Does to callers what the plugin does. */
  private final class AsThePluginIs implements PluginWire.Presence {

    @Override
    public void here() {
      if (!link.isUp() || sockets.isListening()) {
        return;
      }
      try {
        sockets.listenNow(site, stream -> new CallerStream(stream, desk));
      } catch (IOException e) {
        LOG.log(
            Level.WARNING,
            "The proxy does not listen, though its plugin does, and tries again: {0}",
            e.getMessage());
        var unused = sockets.loop().schedule(this::here, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void gone(boolean parting) {
      sockets.rest();
      if (parting) {
        sockets.partWithCallers();
      }
    }

    @Override
    public void socketRemoved() {
      try {
        sockets.removeFiles();
      } catch (IOException left) {
        // A socket that stays refuses everybody.
        return;
      }
    }

    /** Calls first get what the plugin has said of them, in the next rounds of the event loop. */
    @Override
    public void broke(Runnable then) {
      Runnable breaking =
          () -> {
            desk.pluginBroke();
            sockets.breakConnections(then);
          };
      // A caller that connects again at once finds no listener that is about to be shut.
      afterSelecting(() -> inRounds(ROUNDS, breaking));
    }
  }

  /** Breaks every connection, and removes the socket. */
  public void close() {
    life.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      sockets.abort(
          () -> {
            desk.breakAll();
            link.close();
          });
      desk.gate().open();
      desk.pen().flush();
      sockets.removeFiles();
      removeDirectory();
    } catch (IOException e) {
      throw new UncheckedIOException(String.valueOf(e.getMessage()), e);
    } finally {
      end(writer);
      life.unlock();
    }
  }

  private void end(@Nullable RecordingWriter recording) {
    workers.close();
    clock.close();
    sockets.close();
    if (recording != null) {
      recording.close();
    }
  }

  private static void discard(@Nullable Path made) {
    try {
      if (made != null) {
        Files.deleteIfExists(made);
      }
    } catch (IOException left) {
      // What stood in the way is told.
      return;
    }
  }

  /** Whether calls are missing in the recording. */
  public boolean recordingFailed() {
    return writer != null && writer.failed();
  }

  private void removeDirectory() throws IOException {
    if (ownDirectory != null) {
      try {
        Files.deleteIfExists(ownDirectory);
      } catch (DirectoryNotEmptyException e) {
        // Another user keeps something there: it is theirs.
        return;
      }
    }
  }
}
