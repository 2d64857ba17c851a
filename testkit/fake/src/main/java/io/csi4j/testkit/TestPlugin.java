package io.csi4j.testkit;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.server.PluginCore;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.referee.Verdict;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A CSI plugin that runs in this process, on UNIX sockets of its own, and can be told to misbehave.
 *
 * <p>A new plugin listens from the moment it was started until {@link #close}. All methods are safe
 * for use by many threads.
 *
 * @since 1.0
 */
public abstract class TestPlugin implements AutoCloseable {

  private final PluginCore core;

  /** For the plugins of the testkit: no other module has a {@code PluginCore}. */
  @SuppressWarnings("exports")
  protected TestPlugin(PluginCore core) {
    this.core = core;
  }

  /**
   * Where everything is served that one socket can serve: all services on the first node, or the
   * controller alone where the shape has {@link io.csi4j.testkit.model.Quirk#SEPARATE_SOCKETS}.
   */
  public final CsiEndpoint endpoint() {
    return core.endpoint();
  }

  /** Where the node service of the first node is served. */
  public final CsiEndpoint nodeEndpoint() {
    return core.nodeEndpoint(core.nodes().get(0));
  }

  /**
   * Where the node service of {@code node} is served.
   *
   * @throws IllegalArgumentException if the plugin has no such node, naming those it has
   */
  public final CsiEndpoint nodeEndpoint(NodeId node) {
    return core.nodeEndpoint(node);
  }

  /** The nodes that it runs on, in the order given at its start. */
  public final List<NodeId> nodes() {
    return core.nodes();
  }

  /** Returns what it offers and how it differs from the book. */
  public final PluginShape shape() {
    return core.shape();
  }

  /**
   * From now on, makes {@code fault} happen to the calls that {@code when} describes. Of several
   * rules that fit a call, the one added first acts.
   */
  public final FaultRule inject(Fault fault, When when) {
    return core.faults().add(fault, when);
  }

  /**
   * From now on, answers every call of {@code operation} with the fields that {@code made} makes of
   * its request, by the names of the spec, and does nothing. Nothing checks them: any answer can be
   * given. The journal shows it.
   *
   * <p>For some calls alone, after the work was done, or with other faults: {@link #inject} with
   * {@link Fault#answer(Function)} or {@link Fault#change(java.util.function.BiFunction)}.
   */
  public final FaultRule answer(
      CsiOperation operation, Function<WireMessage, ? extends Map<String, ?>> made) {
    return inject(Fault.answer(made), When.calling(operation));
  }

  /** The faults that were injected and not taken back. */
  public final List<FaultRule> faults() {
    return core.faults().rules();
  }

  /** Takes back every fault. Calls that hang by one go on hanging until {@link #release}. */
  public final void clearFaults() {
    core.faults().clear();
  }

  /** Lets every call go on that hangs by a fault: the plugin does its work, if due, and answers. */
  public final void release() {
    core.release();
  }

  /** Returns the calls that it got, in order. */
  public final CallJournal journal() {
    return core.journal();
  }

  /** How the caller kept its duties so far. */
  public final Verdict verdict() {
    return Referee.judge(journal().events());
  }

  /**
   * Throws if the caller broke a duty.
   *
   * @throws io.csi4j.testkit.referee.UnlawfulCallerException with the whole story
   */
  public final void assertLawful() {
    verdict().assertLawful();
  }

  /**
   * Stops like a killed process: open calls break, connections close, the sockets stay behind in
   * the filesystem without a listener. Does nothing if it is stopped.
   */
  public final void stop() {
    core.stop();
  }

  /**
   * Listens again after {@link #stop}, on new sockets at the same paths. What it knew, it knows.
   */
  public final void start() {
    core.start();
  }

  /** {@link #stop}, then {@link #start}. */
  public final void restart() {
    core.restart();
  }

  /** Puts new sockets in the place of the old ones while it goes on: connections break. */
  public final void replaceSocket() {
    core.replaceSocket();
  }

  /** Notes in the journal that it lost what it knew. */
  final void forgotten() {
    core.journal().forgot();
  }

  /** Stops answering: the sockets stay, calls come in and wait for {@link #thaw}. */
  public final void freeze() {
    core.freeze();
  }

  /** Answers again, first those calls that waited. */
  public final void thaw() {
    core.thaw();
  }

  /** Comes back as another version, or with other capabilities: a restart under a new shape. */
  public final void upgrade(PluginShape shape) {
    core.upgrade(shape);
  }

  /**
   * Stops and removes what it made in the filesystem; volumes that it published stay as they are.
   */
  @Override
  public void close() {
    core.close();
  }
}
