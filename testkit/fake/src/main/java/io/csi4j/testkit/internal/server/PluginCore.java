package io.csi4j.testkit.internal.server;

import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.backend.Backend;
import io.csi4j.testkit.internal.backend.Backend.Asked;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.PluginJournal;
import io.csi4j.testkit.internal.journal.PluginJournal.Arrival;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The sockets, faults and journal of a test plugin. A {@link Backend} does the work of the calls.
 */
public final class PluginCore extends TestServer {

  private static final int UNIMPLEMENTED = 12;

  private final Settings settings;
  private final PluginJournal journal = new PluginJournal(clock());
  private final FaultBook faults = new FaultBook();
  private final SocketDirectory directory = new SocketDirectory();
  private volatile PluginShape shape;
  private volatile @Nullable Backend backend;

  /** Path of the main socket. Guarded by the lifecycle lock. */
  private @Nullable Path socket;

  /** Creates a core that does not listen yet and has no threads or files. */
  public PluginCore(Settings settings) {
    super(
        "test plugin",
        "csi4j-testkit-" + settings.shape().name().value(),
        settings.clock(),
        CallThreads.WORKERS);
    this.settings = settings;
    this.shape = settings.shape();
  }

  /**
   * Starts the plugin, and passes every call to {@code work}. Must be called exactly once.
   *
   * @throws java.io.UncheckedIOException if the plugin cannot listen; the plugin is then closed
   */
  public void serve(Backend work) {
    backend = work;
    open();
  }

  @Override
  protected void listen() throws IOException {
    sockets().refuseToListenOnLoop();
    Path main = socket;
    if (main == null) {
      main = directory.make(settings.socket());
      socket = main;
    }
    Objects.requireNonNull(backend).open();
    List<SocketSite> sites = SocketSite.of(main, shape, settings.nodes());
    // The journal must record the start before the first call can arrive.
    journal.started(shape);
    listenAt(sites, this::enter);
  }

  @Override
  protected void ending() {
    journal.stopped();
  }

  @Override
  protected void closing() throws IOException {
    directory.remove();
  }

  private void enter(
      SocketSite site, String path, SentHeaders sent, byte[] message, CallStream caller) {
    workers()
        .travel(
            () ->
                WireOperation.at(path)
                    .ifPresentOrElse(
                        wire -> receive(site, wire, sent, message, caller),
                        () ->
                            caller.fail(
                                UNIMPLEMENTED, "There is no method " + SafeText.quote(path))));
  }

  /**
   * The event loop records each call in this method, so that the journal lists calls in the order
   * of their arrival.
   */
  private void receive(
      SocketSite site, WireOperation wire, SentHeaders sent, byte[] message, CallStream caller) {
    CsiOperation operation = wire.operation();
    Optional<Message> read = WireOperation.parsed(wire.request(), message);
    Message request = read.orElse(wire.request());
    Arrival arrival =
        new Arrival(
            operation,
            Optional.ofNullable(site.node()),
            request,
            sent.authority(),
            sent.metadata(),
            CallFacts.paths(request, settings.visiblePaths()));
    // The fault is chosen before the call is recorded. Once the call is visible in the journal, its
    // fault is therefore fixed.
    List<Fault> steps =
        read.isEmpty()
            ? refusal(
                FaultedCall.INTERNAL, "The request is no " + request.getClass().getSimpleName())
            : site.services().contains(operation.service())
                ? faults.stepsFor(journal, arrival)
                : refusal(UNIMPLEMENTED, operation.service().fullName() + " is not served here");
    RecordedCall call = journal.began(arrival);
    CallRun run =
        new CallRun(
            this,
            Objects.requireNonNull(backend),
            call,
            new Asked(operation, site.node(), request),
            steps,
            caller);
    came(run);
    if (shape.has(Quirk.STRICT_AUTHORITY) && !sent.authority().equals("localhost")) {
      run.refuse();
    } else {
      run.start();
    }
  }

  private static List<Fault> refusal(int code, String text) {
    return Fault.fail(code, text).steps();
  }

  /** Replaces the sockets. Calls in progress continue, but their connections break. */
  public void replaceSocket() {
    exclusively(
        () -> {
          if (listens()) {
            sockets().abort(this::breakCalls);
            listenAt(sites(), this::enter);
          }
        });
  }

  public void upgrade(PluginShape newShape) {
    restart(() -> shape = newShape);
  }

  public PluginShape shape() {
    return shape;
  }

  public List<NodeId> nodes() {
    return settings.nodes();
  }

  public CsiEndpoint nodeEndpoint(NodeId node) {
    return sites().stream()
        .filter(site -> node.equals(site.node()))
        .findFirst()
        .map(site -> CsiEndpoint.of(site.socket()))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "The plugin has no node %s. Its nodes are %s."
                        .formatted(SafeText.quote(node.value()), nodes())));
  }

  public FaultBook faults() {
    return faults;
  }

  @Override
  public PluginJournal journal() {
    return journal;
  }

  @Override
  public String toString() {
    return "the plugin " + shape.name();
  }

  /**
   * The settings with which a plugin starts. Without a socket path, the plugin creates a socket in
   * its own directory. Without a clock, the plugin uses real time.
   */
  public record Settings(
      PluginShape shape,
      List<NodeId> nodes,
      @Nullable Path socket,
      @Nullable PluginClock clock,
      boolean visiblePaths) {}
}
