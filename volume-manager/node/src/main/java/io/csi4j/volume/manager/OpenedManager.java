package io.csi4j.volume.manager;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.events.EventHub;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.StateCodes;
import io.csi4j.volume.internal.plugin.StoredPlugins;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.real.RealParts;
import io.csi4j.volume.internal.real.SystemKernelMounts.KernelView;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.NoThreadsException;
import io.csi4j.volume.internal.time.OperationEnd;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open manager: its engine, state, plugins and events, which open and close together. */
final class OpenedManager implements AutoCloseable {

  private final Options options;
  private final EventHub events;
  private final RealParts parts;
  private final StateStore state;
  private final ClusterOfNode cluster;
  private final PluginWiring plugins;
  private final TroubleWriter trouble;
  private final VolumeEngine engine;
  private final Callbacks callbacks;

  /**
   * The options that a manager is opened with.
   *
   * @param root the directory of the manager
   * @param plugins the plugins that are registered from the start
   * @param listeners the listeners that receive events
   * @param settings the limits
   * @param journal the settings of the journal
   * @param state the store for the state; null for a journal below the root
   * @param claims the settings for checking claims; empty for a node without claims
   * @param kernel the mounts to use; empty for the mounts of the running kernel
   */
  record Options(
      MountPath root,
      List<PluginBinding> plugins,
      List<VolumeEvent.Listener> listeners,
      ManagerSettings settings,
      JournalSettings journal,
      @Nullable StateStore state,
      Optional<NodeClaims> claims,
      Optional<KernelView> kernel) {

    /** Creates the options of a node without claims. */
    Options(
        MountPath root,
        List<PluginBinding> plugins,
        List<VolumeEvent.Listener> listeners,
        ManagerSettings settings,
        JournalSettings journal,
        @Nullable StateStore state) {
      this(root, plugins, listeners, settings, journal, state, Optional.empty(), Optional.empty());
    }
  }

  private OpenedManager(
      Options options,
      EventHub events,
      RealParts parts,
      StateStore state,
      ClusterOfNode cluster,
      PluginWiring plugins,
      TroubleWriter trouble,
      VolumeEngine engine) {
    this.options = options;
    this.events = events;
    this.parts = parts;
    this.state = state;
    this.cluster = cluster;
    this.plugins = plugins;
    this.trouble = trouble;
    this.engine = engine;
    callbacks = new Callbacks();
  }

  /** Opens a manager. */
  static OpenedManager open(Options options) {
    return open(options, CrashPoint.Listener.NONE);
  }

  /** Opens a manager and reports its crash points to a listener. */
  static OpenedManager open(Options options, CrashPoint.Listener points) {
    OpenedParts opening = new OpenedParts();
    try {
      EventHub events =
          opening.add(
              EventHub.open(
                  options.listeners(), options.settings().events(), options.settings().closing()));
      RealParts parts = opening.add(parts(options));
      prepareRoot(parts, events);
      StateStore state = opening.add(state(options, parts, events));
      Consumer<OperatorMessage> told = message -> events.accept(new VolumeEvent.Noticed(message));
      ClusterOfNode cluster = new ClusterOfNode(state);
      PluginWiring plugins =
          opening.add(PluginWiring.open(parts, new StoredPlugins(state, told), told));
      options.plugins().forEach(plugins::register);
      TroubleWriter trouble = new TroubleWriter(parts.directories(), parts.scheduler());
      Consumer<VolumeEvent> both =
          event -> {
            events.accept(event);
            trouble.noted(event);
          };
      VolumeEngine engine =
          VolumeEngine.open(parts.parts(state, points, both, events::asked, events::calling));
      plugins.tell(engine);
      trouble.begin(engine);
      return new OpenedManager(
          options, events, parts, state, cluster, plugins, trouble, opening.done(engine));
    } catch (StateException | MountException problem) {
      throw obstacle(Subject.of("opening the manager").at(options.root()), problem);
    } finally {
      opening.close();
    }
  }

  private static RealParts parts(Options options) {
    try {
      return RealParts.open(
          options.root(),
          options.settings(),
          options.claims(),
          options.kernel().orElseGet(KernelView::system));
    } catch (NoThreadsException e) {
      throw new VolumeException(Outcome.REFUSED, e.operatorMessage(), null, e);
    }
  }

  private static void prepareRoot(RealParts parts, EventHub events) {
    Subject subject = Subject.of("opening the manager");
    try {
      for (Finding finding : parts.directories().prepareRoot()) {
        events.accept(
            new VolumeEvent.Noticed(
                Messages.of(finding.code(), subject.at(finding.path()), finding.text())));
      }
    } catch (PathProblem problem) {
      OperatorCode code =
          switch (problem.kind()) {
            case TOO_LONG -> OperatorCode.ROOT_TOO_LONG;
            case SYMLINK -> OperatorCode.SYMLINK_IN_PATH;
            default -> OperatorCode.ROOT_NOT_USABLE;
          };
      throw new VolumeException(
          Outcome.HELD,
          Messages.of(
              code,
              subject.at(problem.path()),
              problem.seen(),
              new OperatorMessage.Part(problem.advice() + ", then open again")),
          null,
          problem);
    }
  }

  private static StateStore state(Options options, RealParts parts, EventHub events) {
    if (options.state() != null) {
      return options.state();
    }
    JournalSettings given = options.journal();
    JournalSettings settings =
        JournalSettings.builder()
            .host(given.host())
            .segmentSize(given.segmentSize())
            .ballastSize(given.ballastSize())
            .acceptOtherHost(given.acceptOtherHost())
            .acceptAnyFilesystem(given.acceptAnyFilesystem())
            .stateExpected(given.stateExpected() || hasVolumes(parts.directories()))
            .listener(
                event -> {
                  tell(event, events);
                  given.listener().onEvent(event);
                })
            .build();
    return JournalStateStore.open(parts.layout().state().toPath(), settings);
  }

  private static boolean hasVolumes(VolumeDirectories directories) {
    try {
      return directories.hasVolumes();
    } catch (PathProblem problem) {
      return true;
    }
  }

  private static void tell(StateEvent event, EventHub events) {
    if (event instanceof StateEvent.WritesStopped stopped) {
      events.accept(
          new VolumeEvent.Noticed(
              Messages.of(
                  StateCodes.of(stopped.reason()),
                  Subject.of("remembering what is done"),
                  stopped.text())));
    }
  }

  /** Returns the directory of the manager. */
  public MountPath root() {
    return options.root();
  }

  /** Returns the cluster that the node belongs to. */
  ClusterOfNode cluster() {
    return cluster;
  }

  /** Returns the engine that performs the operations. */
  VolumeEngine engine() {
    return engine;
  }

  /** Returns the registry of the plugins and their instances. */
  public PluginRegistry plugins() {
    return plugins.registry();
  }

  /**
   * Drains a plugin. When the drain ends, the host's dependent actions run on the callback thread.
   */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return new Callbacks.HostDrain(engine.drain(plugin, limit), callbacks);
  }

  /** Registers the only instance of a plugin, or replaces its binding. */
  public List<OperatorMessage> register(PluginBinding binding) {
    return plugins.register(binding);
  }

  /** Forgets the only instance of a plugin. */
  public boolean deregister(PluginId plugin) {
    return plugins.deregister(plugin);
  }

  /** Returns the present state, for a report. */
  ManagerReport report() {
    return new ManagerReport(
        options.root(),
        options.kernel().map(KernelView::table).orElseGet(MountTable::system),
        options.claims().map(NodeClaims::node),
        plugins.registry().plugins(),
        engine.known(),
        events.recent());
  }

  /** Returns the non-blocking operations. */
  public AsyncVolumeMounter async() {
    return new Callbacks.AsyncMounter(engine, callbacks);
  }

  /** Returns the result of a query, or throws an exception that says why the query failed. */
  public <T> T know(String doing, Supplier<T> question) {
    Subject subject = Subject.of(doing).at(options.root());
    engine.mustBeOpen(subject);
    try {
      return question.get();
    } catch (StateException | MountException problem) {
      // If the manager was closed during the query, report that instead: closing also closes the
      // state.
      engine.mustBeOpen(subject);
      throw obstacle(subject, problem);
    }
  }

  /**
   * Returns the exception for a call that failed because the state or the kernel's mounts cannot be
   * used.
   */
  private static VolumeException obstacle(Subject subject, RuntimeException problem) {
    OperatorMessage message = message(subject, problem);
    boolean mayAskAgain =
        message.code() == OperatorCode.STATE_IN_USE
            || message.code() == OperatorCode.MOUNT_TABLE_UNREADABLE;
    return new VolumeException(
        mayAskAgain ? Outcome.REFUSED : Outcome.HELD, message, null, problem);
  }

  /** Returns the message about a state or a mount table that cannot be used. */
  static OperatorMessage message(Subject subject, RuntimeException problem) {
    return problem instanceof StateException refusal
        ? Messages.of(StateCodes.of(refusal.reason()), subject, refusal.why())
        : Messages.of(
            OperatorCode.MOUNT_TABLE_UNREADABLE, subject, String.valueOf(problem.getMessage()));
  }

  /** Waits for an operation as long as the settings allow. */
  public <T> T await(CompletableFuture<T> operation, String doing, VolumeUse usage) {
    return OperationEnd.await(operation, patience(), Subject.of(doing).by(usage));
  }

  /** Returns how long a caller waits for its operation. */
  public Duration patience() {
    return options.settings().patience();
  }

  @Override
  public void close() {
    trouble.close();
    CompletableFuture<Integer> running = engine.close();
    try {
      Integer ended = running.get(options.settings().closing().toNanos(), TimeUnit.NANOSECONDS);
      assert ended >= 0;
    } catch (TimeoutException e) {
      abandon();
    } catch (InterruptedException e) {
      abandon();
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Closing ended unexpectedly.", e);
    } finally {
      plugins.close();
      parts.close();
      state.close();
      callbacks.close();
      events.close();
    }
  }

  /** Stops waiting for running operations. They continue after the next start. */
  private void abandon() {
    engine.abandon();
    events.abandon(VolumeEngine::closedWith);
  }

  /**
   * The components that are open so far. If opening fails, they are closed again, in reverse order.
   */
  private static final class OpenedParts implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T part) {
      opened.push(part);
      return part;
    }

    /** Keeps the components open, because opening has completed. */
    <T> T done(T result) {
      opened.clear();
      return result;
    }

    @Override
    public void close() {
      while (!opened.isEmpty()) {
        try {
          opened.pop().close();
        } catch (Exception e) {
          System.getLogger("io.csi4j.volume")
              .log(System.Logger.Level.WARNING, "A part of a manager could not be closed.", e);
        }
      }
    }
  }
}
