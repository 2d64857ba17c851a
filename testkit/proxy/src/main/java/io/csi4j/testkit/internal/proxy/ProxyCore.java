package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.internal.journal.PluginJournal.Arrival;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.server.FaultBook;
import io.csi4j.testkit.internal.server.Framing;
import io.csi4j.testkit.internal.server.PluginReply;
import io.csi4j.testkit.internal.server.PluginWire;
import io.csi4j.testkit.internal.server.SentHeaders;
import io.csi4j.testkit.internal.server.SocketDirectory;
import io.csi4j.testkit.internal.server.SocketSite;
import io.csi4j.testkit.internal.server.TestServer;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.AnswerFinding;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A proxy without its view of the calls: the socket, the connection to the plugin, and the faults.
 * Both sides use one event loop, so that a call never changes threads.
 *
 * <p>The proxy listens while the plugin is reachable, and breaks the connections of callers when
 * the plugin breaks its own: a caller sees the same as without a proxy.
 */
public final class ProxyCore extends TestServer {

  private static final System.Logger LOG = System.getLogger(ProxyCore.class.getName());

  private static final int FINDINGS_LIMIT = 10_000;
  private static final int METHODS_LIMIT = 1_000;

  /** Pause between two attempts to listen when something prevents it. */
  private static final long PAUSE_MILLIS = 100;

  /** Number of event loop rounds in which the end of a connection reaches all of its streams. */
  private static final int ROUNDS = 4;

  private final Settings settings;
  private final PluginJournal journal = new PluginJournal(clock());
  private final FaultBook faults = new FaultBook();
  private final SocketDirectory directory = new SocketDirectory();
  private final PluginWire link;
  private final List<AnswerFinding> findings = new CopyOnWriteArrayList<>();
  private final Map<String, Long> unknown = new ConcurrentHashMap<>();
  private volatile @Nullable RecordingWriter writer;

  /**
   * Whether a call has arrived since the plugin broke its connections. Confined to the event loop.
   */
  private boolean called;

  /**
   * The settings with which a proxy starts; {@code wholeLife} if the plugin has not served any
   * caller before.
   */
  public record Settings(
      CsiEndpoint plugin,
      @Nullable Path socket,
      @Nullable NodeId node,
      boolean wholeLife,
      @Nullable Path recording,
      boolean secrets) {}

  public ProxyCore(Settings settings) {
    super("proxy", "csi4j-testkit-proxy", null, CallThreads.EVENT_LOOP);
    this.settings = settings;
    link = new PluginWire(settings.plugin().path(), sockets().loop(), new AsThePluginIs());
    if (!settings.wholeLife()) {
      journal.stopped();
    }
  }

  @Override
  protected void listen() throws IOException {
    Path recording = settings.recording();
    @Nullable RecordingWriter opened =
        recording == null ? null : RecordingWriter.open(recording, settings.secrets());
    writer = opened;
    if (opened != null) {
      journal.whenEnded(opened::write);
    }
    Path socket = directory.make(settings.socket());
    if (socket.equals(settings.plugin().path())) {
      throw new IOException(
          "The proxy cannot listen on "
              + SafeText.quote(socket.toString())
              + ", which is the socket of the plugin. Give it another path.");
    }
    SocketSite site =
        new SocketSite(socket, EnumSet.allOf(CsiOperation.Service.class), settings.node());
    site(site);
    sockets().tryOut(site);
    boolean unused = look();
    if (opened != null) {
      // Only a proxy that has its socket truncates the file.
      opened.begin();
    }
  }

  @Override
  protected void ending() {
    link.close();
  }

  @Override
  protected void closing() throws IOException {
    RecordingWriter opened = writer;
    if (opened != null) {
      opened.close();
    }
    directory.remove();
  }

  @Override
  public PluginJournal journal() {
    return journal;
  }

  public List<AnswerFinding> findings() {
    return List.copyOf(findings);
  }

  public Map<String, Long> unknownMethods() {
    return new TreeMap<>(unknown);
  }

  public FaultBook faults() {
    return faults;
  }

  @Override
  public void release() {
    sockets().onLoop(pen()::flush);
  }

  /** Stops reading from all callers. */
  @Override
  public void freeze() {
    gate().shut();
    sockets().reading(false);
    sockets().onLoop(() -> link.reading(false));
  }

  @Override
  public void thaw() {
    gate().open();
    sockets().onLoop(() -> link.reading(true));
    sockets().reading(true);
  }

  // The presence of the plugin.

  /**
   * Checks now whether the plugin is reachable. Afterwards the proxy listens if the plugin is
   * reachable, and does not listen if it is not.
   *
   * @return whether the plugin is reachable
   */
  public boolean look() {
    if (sockets().loop().inEventLoop()) {
      return link.isUp();
    }
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    Runnable look = () -> link.look(() -> afterSelecting(() -> seen.complete(link.isUp())));
    // A plugin closes its connections when its own selector runs again.
    afterSelecting(() -> afterSelecting(look));
    return seen.join();
  }

  /**
   * Runs the task after the selector has run: by then, ended connections have been noticed, and the
   * kernel has closed released sockets.
   */
  private void afterSelecting(Runnable task) {
    // A task scheduled while the selected channels are served would run before the next selection.
    sockets()
        .later(
            () -> {
              var unused = sockets().loop().schedule(task, 0, TimeUnit.NANOSECONDS);
            });
  }

  private void inRounds(int left, Runnable task) {
    sockets().later(left == 0 ? task : () -> inRounds(left - 1, task));
  }

  /** Treats callers as the plugin does. */
  private final class AsThePluginIs implements PluginWire.Presence {

    @Override
    public void here() {
      if (!link.isUp() || sockets().isListening()) {
        return;
      }
      try {
        sockets().listenNow(sites().get(0), stream -> new CallerStream(stream, ProxyCore.this));
      } catch (IOException e) {
        LOG.log(
            Level.WARNING,
            "The proxy does not listen, although its plugin does; it retries: {0}",
            e.getMessage());
        var unused = sockets().loop().schedule(this::here, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    @Override
    public void gone(boolean parting) {
      sockets().rest();
      if (parting) {
        sockets().partWithCallers();
      }
    }

    @Override
    public void socketRemoved() {
      try {
        sockets().removeFiles();
      } catch (IOException left) {
        // A socket without a listener refuses every caller.
        return;
      }
    }

    /** First, in the next rounds of the event loop, calls get what the plugin has sent for them. */
    @Override
    public void broke(Runnable then) {
      Runnable breaking =
          () -> {
            pluginBroke();
            sockets().breakConnections(then);
          };
      // A caller that reconnects at once must not find a listener that is about to close.
      afterSelecting(() -> inRounds(ROUNDS, breaking));
    }
  }

  /**
   * Ends every call for the journal, because the plugin broke its connections. Runs on the event
   * loop.
   */
  private void pluginBroke() {
    breakCalls();
    if (called) {
      called = false;
      journal.stopped();
    }
  }

  // Calls.

  PluginWire link() {
    return link;
  }

  /** Parses the request in the body of a call; empty if it is unreadable. */
  static Optional<Message> request(WireOperation wire, byte[] body) {
    return Framing.messages(body)
        .filter(messages -> messages.size() == 1)
        .flatMap(messages -> WireOperation.parsed(wire.request(), messages.get(0)));
  }

  /** Receives a complete call of CSI. */
  PassedCall take(
      CallerStream caller, WireOperation wire, Http2Headers headers, byte[] body, Message request) {
    SentHeaders sent = SentHeaders.of(headers);
    Arrival arrival =
        new Arrival(
            wire.operation(),
            Optional.ofNullable(settings.node()),
            request,
            sent.authority(),
            sent.metadata(),
            // Checking a path of a volume may block forever.
            CallFacts.paths(request, false));
    List<Fault> steps = faults.stepsFor(journal, arrival);
    RecordedCall call = journal.began(arrival);
    PassedCall passed = new PassedCall(this, caller, wire, headers, body, request, call, steps);
    came(passed);
    called = true;
    passed.begin();
    return passed;
  }

  /**
   * Receives a call of a method that CSI does not define, or with an unreadable request: everything
   * is passed on as it arrives. None of it is recorded, because its secrets cannot be identified.
   */
  PluginWire.Way passUnknown(CallerStream caller, Http2Headers headers, boolean last) {
    String path = String.valueOf(headers.path());
    if (unknown.size() < METHODS_LIMIT || unknown.containsKey(path)) {
      unknown.merge(path, 1L, Long::sum);
    }
    PluginWire.Way way =
        link.open(
            PluginReply.passer(
                reply -> caller.end(reply, end(reply, Empty.getDefaultInstance())), caller));
    way.headers(forPlugin(headers), last);
    return way;
  }

  /**
   * Returns the end of a call for its caller; the same as for the plugin, whose connection breaks.
   */
  CallEnd end(PluginReply reply, Message empty) {
    boolean lost = reply.kind() == PluginReply.Kind.LOST || reply.kind() == PluginReply.Kind.ABSENT;
    return lost && link.isBreaking()
        ? new CallEnd.Broken()
        : reply.end(empty, "plugin behind the proxy");
  }

  /**
   * Returns the headers of a call for the plugin, with the authority that gRPC uses for UNIX
   * sockets.
   */
  Http2Headers forPlugin(Http2Headers headers) {
    return new DefaultHttp2Headers(false).setAll(headers).authority("localhost");
  }

  /** Checks the plugin's answer against the rules. */
  void judge(RecordedCall call, List<Message> answers) {
    if (findings.size() < FINDINGS_LIMIT) {
      findings.addAll(PluginAnswerRules.broken(call, answers));
    }
  }

  public boolean recordingFailed() {
    RecordingWriter opened = writer;
    return opened != null && opened.failed();
  }

  @Override
  public String toString() {
    return "the proxy in front of " + settings.plugin();
  }
}
