package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.internal.journal.PluginJournal.Arrival;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.internal.proxy.PluginAnswerRules;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.referee.AnswerFinding;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Headers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The place of a proxy where calls come in: writes them down, picks their faults, and lets them go
 * on to the plugin.
 */
final class ProxyDesk {

  private static final int UNAVAILABLE = 14;
  private static final int INTERNAL = 13;
  private static final int FINDINGS_LIMIT = 10_000;
  private static final int METHODS_LIMIT = 1_000;

  private final PluginJournal journal;
  private final PluginClock clock;
  private final PluginWorkers workers;
  private final EventLoop loop;
  private final FaultBook faults;
  private final PluginWire link;
  private final HoldingGate gate;
  private final HoldingGate pen;
  private final @Nullable NodeId node;
  private final List<AnswerFinding> findings = new CopyOnWriteArrayList<>();
  private final Map<String, Long> unknown = new ConcurrentHashMap<>();

  /** The calls that have not ended. Belongs to the event loop. */
  private final Set<PassedCall> open = new HashSet<>();

  /** Whether a call came in since the plugin broke its connections. Belongs to the event loop. */
  private boolean called;

  ProxyDesk(
      PluginJournal journal,
      PluginClock clock,
      PluginWorkers workers,
      EventLoop loop,
      FaultBook faults,
      PluginWire link,
      @Nullable NodeId node) {
    this.journal = journal;
    this.clock = clock;
    this.workers = workers;
    this.loop = loop;
    this.faults = faults;
    this.link = link;
    this.node = node;
    this.gate = new HoldingGate(loop);
    this.pen = new HoldingGate(loop);
    pen.shut();
  }

  PluginJournal journal() {
    return journal;
  }

  PluginWorkers workers() {
    return workers;
  }

  PluginWire link() {
    return link;
  }

  HoldingGate gate() {
    return gate;
  }

  HoldingGate pen() {
    return pen;
  }

  /** The rules that the plugin's answers broke, in order. */
  List<AnswerFinding> findings() {
    return List.copyOf(findings);
  }

  /** How often calls were passed on that the proxy cannot read, by the paths of their methods. */
  Map<String, Long> unknown() {
    return new TreeMap<>(unknown);
  }

  /** The request in the body of a call; nothing if it cannot be read. */
  static Optional<Message> request(WireOperation wire, byte[] body) {
    return Framing.messages(body)
        .filter(messages -> messages.size() == 1)
        .flatMap(messages -> WireOperation.parsed(wire.request(), messages.get(0)));
  }

  /** A call of CSI came in, whole. */
  PassedCall take(
      CallerStream caller, WireOperation wire, Http2Headers headers, byte[] body, Message request) {
    SentHeaders sent = SentHeaders.of(headers);
    Arrival arrival =
        new Arrival(
            wire.operation(),
            Optional.ofNullable(node),
            request,
            sent.authority(),
            sent.metadata(),
            // To look at a path of a volume may take for ever.
            CallFacts.paths(request, false));
    List<Fault> steps = steps(arrival);
    RecordedCall call = journal.began(arrival);
    PassedCall passed = new PassedCall(this, caller, wire, headers, body, request, call, steps);
    open.add(passed);
    called = true;
    passed.start();
    return passed;
  }

  /**
   * A call came in of a method that CSI does not have, or with a request that cannot be read:
   * everything goes on as it comes. Nothing of it is written down, as nobody knows its secrets.
   */
  PluginWire.Way passUnknown(CallerStream caller, Http2Headers headers, boolean last) {
    String path = String.valueOf(headers.path());
    if (unknown.size() < METHODS_LIMIT || unknown.containsKey(path)) {
      unknown.merge(path, 1L, Long::sum);
    }
    PluginWire.Way way = link.open(new Passing(caller, link));
    way.headers(forPlugin(headers), last);
    return way;
  }

  /** The headers of a call as the plugin gets them: by the name that gRPC has for UNIX sockets. */
  Http2Headers forPlugin(Http2Headers headers) {
    return PassedCall.copy(headers).authority("localhost");
  }

  /** Holds the answer of the plugin against the rules. */
  void judge(RecordedCall call, Message request, List<Message> answers) {
    if (findings.size() < FINDINGS_LIMIT) {
      findings.addAll(PluginAnswerRules.broken(call, request, answers));
    }
  }

  /** A call has ended for its caller. */
  void done(PassedCall call) {
    open.remove(call);
  }

  /** Breaks a connection, and the calls on it. */
  void breakConnection(Channel connection) {
    List.copyOf(open).stream()
        .filter(call -> call.connection() == connection)
        .forEach(PassedCall::broken);
    PluginSockets.breakOff(connection);
  }

  /** Ends every call for the journal. On the event loop. */
  void breakAll() {
    List.copyOf(open).forEach(PassedCall::broken);
  }

  /** The plugin broke its connections: every call ends for the journal. On the event loop. */
  void pluginBroke() {
    breakAll();
    if (called) {
      called = false;
      journal.stopped();
    }
  }

  /** Does this later, on the event loop. */
  void after(Duration time, Runnable work) {
    clock.after(time, () -> onLoop(work));
  }

  /** Does this on the event loop. */
  void onLoop(Runnable work) {
    try {
      loop.execute(work);
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
      // The proxy is closed: there is no caller any more.
    }
  }

  /** The condition of a fault is foreign code, and may fail. */
  private List<Fault> steps(Arrival arrival) {
    try {
      return faults.isEmpty() ? List.of() : faults.stepsFor(journal.preview(arrival));
    } catch (RuntimeException | Error e) {
      return Fault.fail(INTERNAL, "The condition of a fault failed itself: " + e).steps();
    }
  }

  /** Passes an answer on as it comes. */
  private record Passing(CallerStream caller, PluginWire link) implements PluginWire.Answering {
    @Override
    public void headers(Http2Headers headers, boolean last) {
      caller.headers(headers, last);
      caller.flush();
    }

    @Override
    public void data(ByteBuf data, boolean last) {
      caller.data(data.retainedDuplicate(), last);
      caller.flush();
    }

    @Override
    public void reset(long errorCode) {
      caller.reset(errorCode);
    }

    @Override
    public void lost() {
      fail("The connection to the plugin behind the proxy broke.");
    }

    @Override
    public void absent(String why) {
      fail("The plugin behind the proxy did not get the call: " + why + ".");
    }

    /** The end of a connection says more than any word. */
    private void fail(String text) {
      if (!link.isBreaking()) {
        caller.fail(UNAVAILABLE, text);
      }
    }
  }
}
