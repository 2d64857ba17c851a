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
 * Stands between an orchestrator and a plugin, any two of them: passes every call on, writes it
 * down, judges both sides, and can make things go wrong.
 *
 * <p>It passes on what it does not know: other methods, unknown fields, headers, details of a
 * status, streams. The plugin sees the process of the proxy as its caller, and {@code localhost} as
 * the {@code :authority}. It listens while the plugin does: its socket is there when the plugin's
 * is, and refuses callers when the plugin's does. When the plugin breaks its connections, those of
 * callers break as well, as they would without a proxy.
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

  /** A proxy in front of this plugin, on a socket in a directory of its own. */
  public static CsiProxy open(CsiEndpoint plugin) {
    return builder(plugin).open();
  }

  /** A proxy that is not started yet. */
  public static Builder builder(CsiEndpoint plugin) {
    return new Builder(plugin);
  }

  /** Where callers reach the plugin through it. */
  public CsiEndpoint endpoint() {
    return core.endpoint();
  }

  /** Where the plugin itself listens. */
  public CsiEndpoint plugin() {
    return plugin;
  }

  /**
   * From now on, makes {@code fault} happen to the calls that {@code when} describes. Doing the
   * work means to let the plugin do it; a step before that, or none, means that the plugin never
   * gets the call. Of several rules that fit a call, the one added first acts.
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

  /** Passes nothing on any more, in neither direction, until {@link #thaw}. */
  public void freeze() {
    core.freeze();
  }

  /** Passes on again, first what waited. */
  public void thaw() {
    core.thaw();
  }

  /**
   * Looks for the plugin now, and not within the next ten milliseconds: when this returns, callers
   * reach a plugin that is there, and are refused in front of one that is not. For a test that has
   * just started or stopped its plugin.
   *
   * @return whether the plugin is there
   */
  public boolean lookForPlugin() {
    return core.look();
  }

  /** Returns the calls that went through it, in order, as their callers saw them end. */
  public CallJournal journal() {
    return core.journal();
  }

  /**
   * How the caller kept its duties so far. Duties about what came before a call are judged only if
   * the plugin was said to be new: {@link Builder#newPlugin}.
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
   * Returns the rules that the plugin's answers broke, in order; what a fault made of an answer is
   * not held against the plugin.
   */
  public List<AnswerFinding> findings() {
    return core.findings();
  }

  /**
   * How often calls were passed on that are in no journal, by the paths of their methods: CSI does
   * not have the method, or the request cannot be read, as one packed otherwise than by gzip.
   */
  public Map<String, Long> unknownMethods() {
    return core.unknownMethods();
  }

  /** Whether calls are missing in the recording, because it could not be written. */
  public boolean recordingFailed() {
    return core.recordingFailed();
  }

  /** Breaks every connection, and removes its socket. */
  @Override
  public void close() {
    core.close();
  }

  /** The settings that a proxy is started with. */
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
     * The path of its socket; its directory is made if it is missing. Default: one in a new
     * directory, removed when it is closed.
     */
    public Builder socket(Path path) {
      socket = path;
      return this;
    }

    /** The node on which the plugin runs, for the journal. Default: not known. */
    public Builder node(NodeId value) {
      node = value;
      return this;
    }

    /**
     * The file into which every call is {@link io.csi4j.testkit.recording.Recording recorded}.
     * Default: none.
     */
    public Builder record(Path file) {
      recording = file;
      return this;
    }

    /**
     * Whether secrets, mount flags and the values of contexts are recorded as well: such a
     * recording can be played against a plugin that needs them, and has to be guarded like they
     * are. They are not by default.
     */
    public Builder recordSecrets(boolean value) {
      secrets = value;
      return this;
    }

    /**
     * Whether the plugin has served no caller before, so that the referee judges duties about what
     * came before a call. Default: it may have.
     */
    public Builder newPlugin(boolean value) {
      newPlugin = value;
      return this;
    }

    /**
     * Whether the plugin requests facts of workloads, as with {@code podInfoOnMount}: the referee
     * allows keys that begin with {@code csi.storage.k8s.io/} beside the volume's context where it
     * is published, as with {@link Quirk#WORKLOAD_FACTS_TAKEN}. Otherwise, and by default, it calls
     * them a breach.
     */
    public Builder workloadFacts(boolean value) {
      return told(Quirk.WORKLOAD_FACTS_TAKEN, value);
    }

    /**
     * Whether the plugin makes inline volumes: the referee allows volumes that are published
     * without having been created, attached or staged, if their context says that they are inline,
     * as with {@link Quirk#INLINE_VOLUMES_TAKEN}. Otherwise, and by default, it calls that a
     * breach.
     */
    public Builder inlineVolumes(boolean value) {
      return told(Quirk.INLINE_VOLUMES_TAKEN, value);
    }

    private Builder told(Quirk quirk, boolean value) {
      told = value ? told.with(quirk) : told.without(quirk);
      return this;
    }

    /**
     * Starts the proxy. The plugin may be started later: the proxy listens as soon as it does.
     *
     * @throws java.io.UncheckedIOException if it cannot listen or record, saying where and why
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
