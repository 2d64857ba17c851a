package io.csi4j.volume.manager;

import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.real.SystemKernelMounts.KernelView;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.ExpandRequest;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeMounter;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of one node, below one directory. Remembers on disk what it does, so that a crash at
 * any moment loses nothing; {@link Builder#open} finds everything again without asking a plugin.
 *
 * <p>After a start the host tells once which uses it still wants ({@link #reconcile}); before that
 * nothing is taken away but what is asked for by name. Closing unmounts nothing.
 *
 * <pre>{@code
 * try (VolumeManager manager = VolumeManager.open(directory)) { // finds again what is mounted
 *   manager.register(plugin);
 *   manager.reconcile(live); // once after a start: all that is still wanted
 *   MountedVolume mounted = manager.mount(request);
 *   System.out.println(mounted.path());
 *   manager.unmount(request.usage());
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class VolumeManager implements VolumeMounter, AutoCloseable {

  private static final String PROVING = "proving that nothing is left of a use";

  private final OpenedManager opened;

  private VolumeManager(OpenedManager opened) {
    this.opened = opened;
  }

  /**
   * A manager of the volumes below this directory, with the default settings.
   *
   * @throws io.csi4j.volume.model.VolumeException as for {@link Builder#open}
   */
  public static VolumeManager open(Path root) {
    return builder(root).open();
  }

  /**
   * A manager that is not opened yet.
   *
   * @param root the directory for its state and its volumes, which must not be used for anything
   *     else; best at most 68 bytes long, as plugins need not take paths of more than 128
   */
  public static Builder builder(Path root) {
    return new Builder(root);
  }

  /** The directory of its state and its volumes. */
  public MountPath root() {
    return opened.root();
  }

  /** Returns how long a call waits for its operation, as the settings say. */
  public Duration patience() {
    return opened.patience();
  }

  /** Returns the boot of this machine, as its receipts name it. */
  public String boot() {
    return opened.know("reading the boot of this machine", () -> opened.engine().boot());
  }

  /**
   * Returns the identity of the cluster that this directory belongs to: that of the first orders
   * that had one.
   */
  public Optional<String> cluster() {
    return opened.cluster().identity();
  }

  /**
   * Checks that orders are of the cluster that this directory belongs to. The first ones that name
   * a cluster decide which one that is, for as long as the state lasts.
   *
   * @throws io.csi4j.volume.model.VolumeException {@link
   *     io.csi4j.volume.model.OperatorCode#CONTROL_PLANE_OTHER} if they are of another cluster, or
   *     if the state cannot be written
   */
  public void checkCluster(NodeOrders orders) {
    var unused =
        opened.know(
            "checking which cluster this node belongs to",
            () -> {
              opened.cluster().check(orders);
              return orders;
            });
  }

  /**
   * The instances of plugins that serve this manager's volumes. Remembered: after a restart it
   * knows those that an earlier run had, which serve releases until they are registered again.
   */
  public PluginRegistry plugins() {
    return opened.plugins();
  }

  /**
   * Registers the only instance of a plugin, or replaces its binding, wherever it is now. Nothing
   * is called; what is owed to volumes of the plugin is tried when it is there. It has no
   * supervisor: it is tried whenever it is needed.
   *
   * @return what is not as it should be, and no obstacle; listeners are told, too
   * @throws io.csi4j.volume.model.VolumeException if it was closed
   */
  public List<OperatorMessage> register(PluginBinding binding) {
    return opened.register(binding);
  }

  /**
   * Forgets the only instance of a plugin. Its volumes stay as they are; what is owed to them waits
   * until it is registered again.
   *
   * @return whether it was registered
   */
  public boolean deregister(PluginId plugin) {
    return opened.deregister(plugin);
  }

  /**
   * Prepares the end of a plugin: from now on no volume is mounted with it for one more workload
   * ({@link io.csi4j.volume.model.OperatorCode#PLUGIN_DRAINING}), and what is given back is. No
   * workload loses a mount.
   *
   * @param limit after which those are named who still hold volumes
   * @return tells when no volume is left, and lets volumes be mounted again when it is closed
   * @throws io.csi4j.volume.model.VolumeException if the manager was closed
   */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return opened.drain(plugin, limit);
  }

  /** Whether no volume is mounted with a plugin for one more workload: it is {@link #drain}ed. */
  public boolean isDraining(PluginId plugin) {
    return opened.engine().isDraining(plugin);
  }

  /** Returns what was found when the manager was opened. */
  public RecoveryReport recovered() {
    return opened.engine().report();
  }

  /**
   * Returns the plan of {@link #reconcile}; nothing is done.
   *
   * @throws io.csi4j.volume.model.VolumeException as for {@link #reconcile}
   */
  public List<Reconciliation.Item> plan(Collection<? extends WantedUse> live) {
    List<WantedUse> wanted = List.copyOf(live);
    return opened.know("planning", () -> opened.engine().plan(wanted));
  }

  /**
   * To be called once after a start: takes the full list of what the host still wants of what was
   * found, and brings this node to it. What is wanted and gone is mounted again, until it is there;
   * what was found and is not wanted is given up. What this process was asked to mount since it
   * opened the manager is left alone, whether it is on the list or not.
   *
   * @throws io.csi4j.volume.model.VolumeException {@link
   *     io.csi4j.volume.model.OperatorCode#LIST_TAKES_ALL} if something was found mounted, and
   *     nothing of it is on the list: if that is meant, {@link #releaseFound} says so; or if the
   *     state cannot be read any more
   */
  public Reconciliation reconcile(Collection<? extends WantedUse> live) {
    List<WantedUse> wanted = List.copyOf(live);
    return opened.know(
        "reconciling",
        () -> {
          opened.engine().mustKeepSome(wanted);
          return opened.engine().settleFound(wanted);
        });
  }

  /**
   * Gives up everything that was found at the start and was not asked for since: what {@link
   * #reconcile} does with an empty list, said by name.
   *
   * @throws io.csi4j.volume.model.VolumeException if the state cannot be read any more
   */
  public Reconciliation releaseFound() {
    return opened.know("releasing what was found", () -> opened.engine().settleFound(List.of()));
  }

  /**
   * Takes the full list of all that the host wants now, and gives up everything else, also what
   * this process has mounted. A use that is asked for while this runs is left alone. May be done at
   * any time.
   *
   * @throws io.csi4j.volume.model.VolumeException as for {@link #reconcile}
   */
  public Reconciliation keepOnly(Collection<? extends WantedUse> live) {
    List<WantedUse> wanted = List.copyOf(live);
    return opened.know(
        "reconciling",
        () -> {
          opened.engine().mustKeepSome(wanted);
          return opened.engine().reconcile(wanted);
        });
  }

  /**
   * Returns why this mount would be refused by what is mounted now, if it would: another workload
   * has the volume, or has it in another way. Nothing is done, and no plugin is asked.
   */
  public Optional<OperatorMessage> refusal(MountRequest request) {
    return opened.know("looking at a request", () -> opened.engine().refusal(request));
  }

  /**
   * Whether a volume may be detached from this node now: no workload uses it, nothing is owed or
   * being done for it, and nothing is mounted at its paths. What keeps it is told by {@link
   * #explain} and {@link #status}. For a host without claims; with claims, {@linkplain #receipt a
   * receipt} is the proof. It holds until the volume is asked for again.
   *
   * @param plugin the plugin whose volume it is
   * @param handle the volume as the plugin names it
   * @throws io.csi4j.volume.model.VolumeException if the mount table cannot be read
   */
  public boolean mayDetach(PluginId plugin, VolumeId handle) {
    return opened.know(
        "finding out whether to detach",
        () -> opened.engine().mayDetach(new VolumeIdentity(plugin, handle)));
  }

  /**
   * Proves that nothing of a use is left on this node, for a claim on its way back. To be asked
   * only after it was written down that the claim is on its way back: from then on nothing is
   * mounted with it any more. The mount table is looked at; nothing is taken from memory alone.
   *
   * <p>Where it is known which volume it was of, {@linkplain #receipt(VolumeUse, long, PluginId,
   * VolumeId) say so}: otherwise there is no proof while any volume is being given back.
   *
   * @param epoch the epoch of the claim
   * @throws io.csi4j.volume.model.VolumeException {@link
   *     io.csi4j.volume.model.OperatorCode#RECEIPT_REFUSED}, saying what is still there; or why
   *     that cannot be found out
   */
  public NodeReceipt receipt(VolumeUse usage, long epoch) {
    return opened.know(PROVING, () -> opened.engine().receipt(usage, epoch, Optional.empty()));
  }

  /**
   * The same, about the use of a volume that is known.
   *
   * @param plugin the plugin whose volume it is
   * @param handle the volume as the plugin names it
   * @throws io.csi4j.volume.model.VolumeException as for {@link #receipt(VolumeUse, long)}
   */
  public NodeReceipt receipt(VolumeUse usage, long epoch, PluginId plugin, VolumeId handle) {
    return opened.know(
        PROVING,
        () ->
            opened.engine().receipt(usage, epoch, Optional.of(new VolumeIdentity(plugin, handle))));
  }

  @Override
  public MountedVolume mount(MountRequest request) {
    return opened.await(opened.engine().mount(request), "mounting", request.usage());
  }

  @Override
  public MountedVolume refresh(MountRequest request) {
    return opened.await(opened.engine().refresh(request), "refreshing", request.usage());
  }

  @Override
  public UnmountOutcome unmount(VolumeUse usage) {
    return opened.await(opened.engine().unmount(usage), "unmounting", usage);
  }

  @Override
  public UnmountOutcome abandon(VolumeUse usage, String reason) {
    return opened.await(opened.engine().abandon(usage, reason), "abandoning", usage);
  }

  @Override
  public boolean hasMount(VolumeUse usage) {
    return opened.know("looking for a mount", () -> opened.engine().hasMount(usage));
  }

  @Override
  public OptionalLong expand(ExpandRequest request) {
    return opened.await(opened.engine().expand(request), "expanding", request.usage());
  }

  @Override
  public VolumeStats stats(VolumeUse usage) {
    return opened.await(opened.engine().stats(usage), "reading the statistics of", usage);
  }

  @Override
  public List<WorkloadId> usage(VolumeKey volume) {
    return status(volume).stream()
        .flatMap(status -> status.uses().stream())
        .filter(use -> use.key().volume().equals(volume))
        .map(use -> use.key().workload())
        .sorted()
        .toList();
  }

  @Override
  public List<VolumeStatus> status(VolumeKey volume) {
    return volumes().stream().filter(status -> status.isOf(volume)).toList();
  }

  @Override
  public List<VolumeStatus> volumes() {
    return opened.engine().volumes();
  }

  @Override
  public VolumeHealth health(VolumeUse usage) {
    return opened.await(opened.engine().health(usage), "asking for the health of", usage);
  }

  /**
   * Returns the known faults of the storage behind a plugin, as seen from this node; none while no
   * volume of it is here.
   */
  public List<StorageFinding> storageHealth(PluginId plugin) {
    return opened.engine().storageHealth(plugin);
  }

  @Override
  public Explanation explain(VolumeKey volume) {
    return opened.engine().explain("volume " + volume, key -> key.volume().equals(volume));
  }

  @Override
  public Explanation explain(WorkloadId workload) {
    return opened.engine().explain("workload " + workload, key -> key.workload().equals(workload));
  }

  @Override
  public AsyncVolumeMounter async() {
    return opened.async();
  }

  /**
   * Writes a report for a bug into one new ZIP archive, which only its owner may read: the plugins
   * and how they are, the volumes, why each is as it is, the claims on record, what is owed, the
   * last 200 messages for operators, the mounts below the directory, and the versions.
   *
   * <p>The report is made of what the manager knows and of the mount table: no plugin is called, no
   * mount is looked into, and nothing that hangs is waited for. All about one volume is of one
   * moment; the manager goes on meanwhile, so two volumes may be of two moments.
   *
   * <p>There are no secrets, contexts, mount flags or options of filesystems in it. There are names
   * of volumes, workloads, plugins and paths, the sources of mounts without what stands before the
   * {@code @} of an address, and the words of plugins as listeners are told them.
   *
   * <pre>{@code
   * Path archive = reports.resolve("csi4j-" + ticket + ".zip"); // must not be there yet
   * manager.dump(archive);
   * }</pre>
   *
   * @param archive the archive, where nothing may be yet
   * @throws io.csi4j.volume.model.VolumeException if something is there, which is left as it is, or
   *     if the archive cannot be written; then nothing is left of it
   */
  public void dump(Path archive) {
    opened.report().writeTo(archive);
  }

  /**
   * Takes no more operations and waits a bounded time for those that run; what has not ended then
   * is on record, and goes on with the next start. Unmounts nothing. Doing it twice is harmless, on
   * any threads. From then on every operation, list and proof is refused with {@link
   * io.csi4j.volume.model.OperatorCode#ENGINE_CLOSED}; what was known last can still be read.
   */
  @Override
  public void close() {
    opened.close();
  }

  /** Collects what a manager is opened with. */
  public static final class Builder {

    private final Path root;
    private final List<PluginBinding> plugins = new ArrayList<>();
    private final List<VolumeEvent.Listener> listeners = new ArrayList<>();
    private ManagerSettings settings = ManagerSettings.defaults();
    private JournalSettings journal = JournalSettings.defaults();
    private @Nullable StateStore state;
    private Optional<NodeClaims> claims = Optional.empty();
    private Optional<KernelView> kernel = Optional.empty();

    private Builder(Path root) {
      this.root = Objects.requireNonNull(root, "root");
    }

    /** Registers a plugin from the start. */
    public Builder plugin(PluginBinding binding) {
      plugins.add(Objects.requireNonNull(binding, "binding"));
      return this;
    }

    /**
     * Tells this listener what happens. Without a listener, what an operator has to know is logged:
     * what is noticed, and the failures of releases and of the background.
     */
    public Builder listener(VolumeEvent.Listener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /** Sets the limits. */
    public Builder settings(ManagerSettings value) {
      settings = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets how the journal behaves, which is the state unless another is given. */
    public Builder journal(JournalSettings value) {
      journal = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Remembers in this state instead of a journal below the root; closed with the manager. */
    public Builder state(StateStore store) {
      state = Objects.requireNonNull(store, "store");
      return this;
    }

    /**
     * Holds the node to the claims that it is given: a request with an epoch is mounted only while
     * its claim is current. Without this such a request is refused.
     */
    public Builder claims(NodeClaims value) {
      claims = Optional.of(value);
      return this;
    }

    /**
     * Sees what is mounted here instead of in the running kernel, and unmounts here: for tests,
     * with a plugin that mounts there, too. Directories are made on disk as ever.
     */
    public Builder mounts(MountTable table, Mounts mounts) {
      kernel = Optional.of(new KernelView(table, mounts, Optional.empty()));
      return this;
    }

    /** Works on these mounts, where this tells of mounts that others make and remove. */
    public Builder mounts(MountTable table, Mounts mounts, MountWatch watch) {
      kernel = Optional.of(new KernelView(table, mounts, Optional.of(watch)));
      return this;
    }

    /**
     * Opens it: takes the state for its own, and finds its volumes again. Calls no plugin, unmounts
     * nothing.
     *
     * @throws io.csi4j.volume.model.VolumeException if the root or the state cannot be used, if
     *     another manager has the state ({@link io.csi4j.volume.model.OperatorCode#STATE_IN_USE}),
     *     or if the kernel's mounts cannot be seen here
     */
    public VolumeManager open() {
      return new VolumeManager(
          OpenedManager.open(
              new OpenedManager.Options(
                  MountPath.of(root.toAbsolutePath().normalize()),
                  List.copyOf(plugins),
                  List.copyOf(listeners),
                  settings,
                  journal,
                  state,
                  claims,
                  kernel)));
    }
  }
}
