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
 * A CSI plugin that runs in this process, on its own UNIX sockets. Tests can inject faults into its
 * calls.
 *
 * <p>A plugin listens from its start until {@link #close}. All methods are safe for use by many
 * threads.
 *
 * @since 1.0
 */
public abstract class TestPlugin implements AutoCloseable {

  private final PluginCore core;

  /**
   * Only the plugins of the testkit can call this constructor, because no other module can create a
   * {@code PluginCore}.
   */
  @SuppressWarnings("exports")
  protected TestPlugin(PluginCore core) {
    this.core = core;
  }

  /**
   * Returns the main endpoint. It serves all services of the first node, or only the controller if
   * the shape has {@link io.csi4j.testkit.model.Quirk#SEPARATE_SOCKETS}.
   */
  public final CsiEndpoint endpoint() {
    return core.endpoint();
  }

  /** Returns the endpoint that serves the node service of the first node. */
  public final CsiEndpoint nodeEndpoint() {
    return core.nodeEndpoint(core.nodes().get(0));
  }

  /**
   * Returns the endpoint that serves the node service of {@code node}.
   *
   * @throws IllegalArgumentException if the plugin does not run on this node; the message names the
   *     nodes of the plugin
   */
  public final CsiEndpoint nodeEndpoint(NodeId node) {
    return core.nodeEndpoint(node);
  }

  /** Returns the nodes on which the plugin runs, in the order given at its start. */
  public final List<NodeId> nodes() {
    return core.nodes();
  }

  /** Returns the shape: the capabilities, limits and quirks of the plugin. */
  public final PluginShape shape() {
    return core.shape();
  }

  /**
   * Injects {@code fault} into the calls that {@code when} selects, from now on. If several rules
   * select a call, only the fault of the oldest rule is injected.
   */
  public final FaultRule inject(Fault fault, When when) {
    return core.faults().add(fault, when);
  }

  /**
   * Makes the plugin answer every call of {@code operation} from now on with the fields that {@code
   * made} returns for the request. The fields have their names from the spec. The plugin does no
   * work for such a call. The fields are not checked, so any answer is possible. The journal shows
   * the answer.
   *
   * <p>To answer only some calls, to do the work first, or to combine the answer with other faults,
   * call {@link #inject} with {@link Fault#answer(Function)} or {@link
   * Fault#change(java.util.function.BiFunction)}.
   */
  public final FaultRule answer(
      CsiOperation operation, Function<WireMessage, ? extends Map<String, ?>> made) {
    return inject(Fault.answer(made), When.calling(operation));
  }

  /** Returns the injected faults, except those that were removed. */
  public final List<FaultRule> faults() {
    return core.faults().rules();
  }

  /** Removes every fault. Calls that a fault is holding continue to wait until {@link #release}. */
  public final void clearFaults() {
    core.faults().clear();
  }

  /**
   * Releases every call that a fault holds: the plugin does the work, unless it is already done,
   * and answers.
   */
  public final void release() {
    core.release();
  }

  /** Returns the calls that the plugin received, in order. */
  public final CallJournal journal() {
    return core.journal();
  }

  /** Returns the referee's verdict on the calls in the journal. */
  public final Verdict verdict() {
    return Referee.judge(journal().events());
  }

  /**
   * Throws an exception if the caller broke a binding duty.
   *
   * @throws io.csi4j.testkit.referee.UnlawfulCallerException with the complete report
   */
  public final void assertLawful() {
    verdict().assertLawful();
  }

  /**
   * Stops the plugin like a killed process: calls in flight break, connections close, and the
   * socket files remain without a listener. Does nothing if the plugin is already stopped.
   */
  public final void stop() {
    core.stop();
  }

  /**
   * Starts the plugin again after {@link #stop}, on new sockets at the same paths. The plugin keeps
   * its state.
   */
  public final void start() {
    core.start();
  }

  /** Calls {@link #stop}, then {@link #start}. */
  public final void restart() {
    core.restart();
  }

  /**
   * Replaces the sockets with new sockets while the plugin keeps running. All connections break.
   */
  public final void replaceSocket() {
    core.replaceSocket();
  }

  /** Records in the journal that the plugin has lost its state. */
  final void forgotten() {
    core.journal().forgot();
  }

  /**
   * Stops the plugin from answering. The sockets remain, and calls still arrive, but they wait
   * until {@link #thaw}.
   */
  public final void freeze() {
    core.freeze();
  }

  /** Lets the plugin answer again, starting with the waiting calls. */
  public final void thaw() {
    core.thaw();
  }

  /**
   * Restarts the plugin with a new shape, for example with another version or other capabilities.
   */
  public final void upgrade(PluginShape shape) {
    core.upgrade(shape);
  }

  /**
   * Stops the plugin and removes its sockets and directories. Published volumes remain published.
   */
  @Override
  public void close() {
    core.close();
  }
}
