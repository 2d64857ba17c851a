package io.csi4j.testkit.proxy;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.proxy.ProxyCore;
import io.csi4j.testkit.internal.referee.AllRules;
import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.referee.AnswerFinding;
import io.csi4j.testkit.referee.Verdict;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between any orchestrator and any plugin: passes on every call, records it, judges both
 * sides, and injects faults on request.
 *
 * <p>The proxy also passes on what it does not know: other methods, unknown fields, headers,
 * details of a status, streams. The plugin sees the proxy's process as its caller, and {@code
 * localhost} as the {@code :authority}. The proxy listens while the plugin does: its socket exists
 * while the plugin's does, and refuses callers while the plugin's does. When the plugin breaks its
 * connections, the proxy breaks those of its callers.
 *
 * <pre>{@code
 * try (CsiProxy proxy = CsiProxy.builder(plugin).record(file).open()) {
 *   proxy.inject(Fault.applyThenHang(), When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
 *   orchestrator.accept(proxy.endpoint());
 *   proxy.assertLawful(); // the orchestrator
 *   proxy.findings().forEach(log); // the plugin
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class CsiProxy implements AutoCloseable {

  private final ProxyCore core;
  private final CsiEndpoint plugin;
  private final PluginShape told;

  private CsiProxy(ProxyCore core, CsiEndpoint plugin, PluginShape told) {
    this.core = core;
    this.plugin = plugin;
    this.told = told;
  }

  /** Opens a proxy in front of this plugin, on a socket in its own temporary directory. */
  public static CsiProxy open(CsiEndpoint plugin) {
    return builder(plugin).open();
  }

  /** Returns a builder for a proxy. */
  public static Builder builder(CsiEndpoint plugin) {
    return new Builder(plugin);
  }

  /** Returns the endpoint at which callers reach the plugin through the proxy. */
  public CsiEndpoint endpoint() {
    return core.endpoint();
  }

  /** Returns the endpoint at which the plugin itself listens. */
  public CsiEndpoint plugin() {
    return plugin;
  }

  /**
   * Injects {@code fault} into the calls that {@code when} describes, from now on. To do the work
   * means to pass the call to the plugin; if the fault ends the call before that step, the plugin
   * never gets the call. Of several rules that fit a call, the one added first acts.
   */
  public FaultRule inject(Fault fault, When when) {
    return core.faults().add(fault, when);
  }

  /** Returns the injected faults that were not removed. */
  public List<FaultRule> faults() {
    return core.faults().rules();
  }

  /** Removes every fault. Calls that a fault holds stay held until {@link #release}. */
  public void clearFaults() {
    core.faults().clear();
  }

  /** Releases every call that a fault holds. */
  public void release() {
    core.release();
  }

  /** Stops passing anything on, in either direction, until {@link #thaw}. */
  public void freeze() {
    core.freeze();
  }

  /** Passes calls and answers on again, starting with the waiting ones. */
  public void thaw() {
    core.thaw();
  }

  /**
   * Checks at once whether the plugin is reachable, which otherwise takes up to ten milliseconds:
   * when this method returns, callers reach a plugin that is running, and are refused if it is not.
   * Use it in a test that has just started or stopped its plugin.
   *
   * @return whether the plugin is reachable
   */
  public boolean lookForPlugin() {
    return core.look();
  }

  /**
   * Returns the calls that passed through the proxy, in order, with the ends that their callers
   * saw.
   */
  public CallJournal journal() {
    return core.journal();
  }

  /**
   * Returns how the caller has kept its duties so far. Duties that depend on earlier calls are
   * judged only if the plugin is declared to be new: {@link Builder#newPlugin}.
   */
  public Verdict verdict() {
    return AllRules.judge(journal().events(), told);
  }

  /**
   * Throws if the caller broke a duty.
   *
   * @throws io.csi4j.testkit.referee.UnlawfulCallerException with the complete report
   */
  public void assertLawful() {
    verdict().assertLawful();
  }

  /**
   * Returns the rules that the plugin's answers broke, in order; a fault's changes to an answer do
   * not count against the plugin.
   */
  public List<AnswerFinding> findings() {
    return core.findings();
  }

  /**
   * Returns the numbers of calls that were passed on without being recorded, by the path of their
   * method: CSI does not define the method, or the request is unreadable, for example because it is
   * compressed with something other than gzip.
   */
  public Map<String, Long> unknownMethods() {
    return core.unknownMethods();
  }

  /** Returns whether calls are missing in the recording because it could not be written. */
  public boolean recordingFailed() {
    return core.recordingFailed();
  }

  /** Breaks every connection, and removes the socket. */
  @Override
  public void close() {
    core.close();
  }

  /** Collects the settings of a proxy. */
  public static final class Builder {
    private final CsiEndpoint plugin;
    private @Nullable Path socket;
    private @Nullable NodeId node;
    private @Nullable Path recording;
    private boolean newPlugin;
    private boolean secrets;
    private PluginShape told = PluginShape.nodeOnly();

    private Builder(CsiEndpoint plugin) {
      this.plugin = plugin;
    }

    /**
     * Sets the path of the socket; its directory is created if it is missing. Default: a path in a
     * new directory, which is removed when the proxy is closed.
     */
    public Builder socket(Path path) {
      socket = path;
      return this;
    }

    /** Sets the node on which the plugin runs, for the journal. Default: unknown. */
    public Builder node(NodeId value) {
      node = value;
      return this;
    }

    /**
     * Sets the file into which every call is {@link io.csi4j.testkit.recording.Recording recorded}.
     * Default: none.
     */
    public Builder record(Path file) {
      recording = file;
      return this;
    }

    /**
     * Sets whether secrets, mount flags and the values of contexts are recorded as well: such a
     * recording can be replayed against a plugin that needs them, and must be protected like the
     * secrets themselves. Default: they are left out.
     */
    public Builder recordSecrets(boolean value) {
      secrets = value;
      return this;
    }

    /**
     * Sets whether the plugin has served no caller before, so that the referee judges duties that
     * depend on earlier calls. Default: it may have.
     */
    public Builder newPlugin(boolean value) {
      newPlugin = value;
      return this;
    }

    /**
     * Sets whether the plugin requests data about workloads, as with {@code podInfoOnMount}: the
     * referee then allows keys that begin with {@code csi.storage.k8s.io/} in addition to the
     * volume's context when the volume is published, as with {@link Quirk#WORKLOAD_FACTS_TAKEN}.
     * Otherwise, and by default, such a key is a breach.
     */
    public Builder workloadFacts(boolean value) {
      return told(Quirk.WORKLOAD_FACTS_TAKEN, value);
    }

    /**
     * Sets whether the plugin supports inline volumes: the referee then allows a volume to be
     * published without having been created, attached or staged, if its context declares it inline,
     * as with {@link Quirk#INLINE_VOLUMES_TAKEN}. Otherwise, and by default, that is a breach.
     */
    public Builder inlineVolumes(boolean value) {
      return told(Quirk.INLINE_VOLUMES_TAKEN, value);
    }

    private Builder told(Quirk quirk, boolean value) {
      told = value ? told.with(quirk) : told.without(quirk);
      return this;
    }

    /**
     * Starts the proxy. The plugin may be started later: the proxy listens as soon as the plugin
     * does.
     *
     * @throws java.io.UncheckedIOException if the proxy cannot listen or record; the message names
     *     the path and the reason
     */
    public CsiProxy open() {
      ProxyCore core =
          new ProxyCore(
              new ProxyCore.Settings(plugin, socket, node, newPlugin, recording, secrets));
      core.open();
      return new CsiProxy(core, plugin, told);
    }
  }
}
