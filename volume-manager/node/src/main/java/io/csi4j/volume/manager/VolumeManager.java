package io.csi4j.volume.manager;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.real.SystemKernelMounts.KernelView;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.AsyncVolumeMounter;
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
 * Manages the volumes of one node, below one directory. The manager records its work on disk, so a
 * crash at any moment loses nothing; {@link Builder#open} recovers the records without calling a
 * plugin.
 *
 * <p>After a start the host passes the list of uses that it still wants to {@link #reconcile},
 * once. Until then, the manager removes only mounts whose release is requested by name. Closing the
 * manager unmounts nothing.
 *
 * <pre>{@code
 * try (VolumeManager manager = VolumeManager.open(directory)) { // recovers what is mounted
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
   * Opens a manager for this directory with the default settings.
   *
   * @throws io.csi4j.volume.model.VolumeException as for {@link Builder#open}
   */
  public static VolumeManager open(Path root) {
    return builder(root).open();
  }

  /**
   * Returns a builder for a manager.
   *
   * @param root the directory for the manager's state and volumes; no other program may use it. A
   *     path of at most 68 bytes is best, because plugins need not accept paths longer than 128
   *     bytes
   */
  public static Builder builder(Path root) {
    return new Builder(root);
  }

  /** Returns the directory that contains the state and the volumes. */
  public MountPath root() {
    return opened.root();
  }

  /** Returns how long a call waits for its operation. This is the value from the settings. */
  public Duration patience() {
    return opened.patience();
  }

  /** Returns the identifier of this machine's present boot, as receipts contain it. */
  public String boot() {
    return opened.know("reading the boot of this machine", () -> opened.engine().boot());
  }

  /**
   * Returns the identity of the cluster that this directory belongs to. The first orders with an
   * identity set it.
   */
  public Optional<String> cluster() {
    return opened.cluster().identity();
  }

  /**
   * Checks that orders come from the cluster that this directory belongs to. The first orders that
   * name a cluster tie the directory to that cluster for as long as the state exists.
   *
   * @throws io.csi4j.volume.model.VolumeException {@link
   *     io.csi4j.volume.model.OperatorCode#CONTROL_PLANE_OTHER} if they come from another cluster,
   *     or if the state cannot be written
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
   * Returns the registry of the plugins and their instances. The registry is persistent: after a
   * restart it still contains the instances of an earlier run. Until an instance is registered
   * again, the manager uses it only for releases.
   */
  public PluginRegistry plugins() {
    return opened.plugins();
  }

  /**
   * Registers the only instance of a plugin, or replaces its binding. Calls no plugin. Pending work
   * on volumes of the plugin is tried when the plugin is reachable. No supervisor watches this
   * instance: the manager calls it whenever an operation needs it.
   *
   * @return warnings; the plugin is registered nevertheless, and listeners receive the warnings too
   * @throws io.csi4j.volume.model.VolumeException if the manager was closed
   */
  public List<OperatorMessage> register(PluginBinding binding) {
    return opened.register(binding);
  }

  /**
   * Removes the only instance of a plugin. The plugin's volumes stay as they are; pending work on
   * them waits until the plugin is registered again.
   *
   * @return whether the plugin was registered
   */
  public boolean deregister(PluginId plugin) {
    return opened.deregister(plugin);
  }

  /**
   * Drains a plugin before it is stopped. From now on no further workload can mount a volume with
   * the plugin ({@link io.csi4j.volume.model.OperatorCode#PLUGIN_DRAINING}), while releases
   * continue. No workload loses a mount.
   *
   * @param limit the time after which the manager reports the uses that still hold volumes
   * @return the drain, which completes when no volume is left. Closing it allows mounts again
   * @throws io.csi4j.volume.model.VolumeException if the manager was closed
   */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return opened.drain(plugin, limit);
  }

  /**
   * Returns whether a plugin is being {@linkplain #drain drained}. No further workload can mount a
   * volume with such a plugin.
   */
  public boolean isDraining(PluginId plugin) {
    return opened.engine().isDraining(plugin);
  }

  /** Returns the findings of the recovery that ran when the manager was opened. */
  public RecoveryReport recovered() {
    return opened.engine().report();
  }

  /**
   * Returns the plan of {@link #reconcile} without carrying it out.
   *
   * @throws io.csi4j.volume.model.VolumeException as for {@link #reconcile}
   */
  public List<Reconciliation.Item> plan(Collection<? extends WantedUse> live) {
    List<WantedUse> wanted = List.copyOf(live);
    return opened.know("planning", () -> opened.engine().plan(wanted));
  }

  /**
   * Brings this node to the state that the host wants. The host calls this method once after a
   * start. The list must contain every use that the start found and that the host still wants. The
   * manager mounts a wanted use again if its mount is gone, and retries until that succeeds. It
   * releases a found use that is not wanted. It leaves mounts alone that were requested since the
   * manager was opened, whether they are on the list or not.
   *
   * @throws io.csi4j.volume.model.VolumeException {@link
   *     io.csi4j.volume.model.OperatorCode#LIST_TAKES_ALL} if the start found mounts and none of
   *     their uses is on the list; if that is intended, call {@link #releaseFound}. Also if the
   *     state can no longer be read
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
   * Releases every use that was found at the start and has not been requested since. This is what
   * {@link #reconcile} would do with an empty list, which it refuses if mounts were found.
   *
   * @throws io.csi4j.volume.model.VolumeException if the state can no longer be read
   */
  public Reconciliation releaseFound() {
    return opened.know("releasing what was found", () -> opened.engine().settleFound(List.of()));
  }

  /**
   * Releases every use that is not on this list, including uses that this process has mounted. A
   * use that is requested during this call is left alone. May be called at any time.
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
   * Returns why the existing mounts would make the manager refuse this request; empty if they allow
   * the request. A request is refused if another workload has the volume, or if the volume is
   * mounted in another way. This method changes nothing and calls no plugin.
   */
  public Optional<OperatorMessage> refusal(MountRequest request) {
    return opened.know("looking at a request", () -> opened.engine().refusal(request));
  }

  /**
   * Returns whether a volume may be detached from this node now: no workload uses it, no work on it
   * is pending or running, and nothing is mounted at its paths. {@link #explain} and {@link
   * #status} return the reasons against detaching. This method is for a host without claims; with
   * claims, {@linkplain #receipt a receipt} is the proof. The answer is valid until the volume is
   * requested again.
   *
   * @param plugin the plugin that serves the volume
   * @param handle the volume as the plugin names it
   * @throws io.csi4j.volume.model.VolumeException if the mount table cannot be read
   */
  public boolean mayDetach(PluginId plugin, VolumeId handle) {
    return opened.know(
        "checking whether to detach",
        () -> opened.engine().mayDetach(new VolumeIdentity(plugin, handle)));
  }

  /**
   * Returns a receipt: proof that nothing of a use is left on this node, for a claim that is being
   * released. Call this method only after the release of the claim was recorded, because from then
   * on no node mounts a volume under the claim. The manager reads the mount table and does not rely
   * on its memory alone.
   *
   * <p>A caller that knows the volume of the use should {@linkplain #receipt(VolumeUse, long,
   * PluginId, VolumeId) name it}: without the volume, there is no receipt while the cleanup of any
   * volume is pending.
   *
   * @param epoch the epoch of the claim
   * @throws io.csi4j.volume.model.VolumeException {@link
   *     io.csi4j.volume.model.OperatorCode#RECEIPT_REFUSED} if something is left, or if that cannot
   *     be determined; the message says which
   */
  public NodeReceipt receipt(VolumeUse usage, long epoch) {
    return opened.know(PROVING, () -> opened.engine().receipt(usage, epoch, Optional.empty()));
  }

  /**
   * Returns a receipt: proof that nothing of a use of this volume is left on this node. See {@link
   * #receipt(VolumeUse, long)}.
   *
   * @param plugin the plugin that serves the volume
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
  public OptionalLong expand(VolumeUse usage, CapacityRange capacity, SecretsProvider secrets) {
    ExpandRequest request = new ExpandRequest(usage, capacity, secrets);
    return opened.await(opened.engine().expand(request), "expanding", usage);
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
   * Returns the known faults of the storage behind a plugin, as seen from this node; empty while no
   * volume of the plugin is on this node.
   */
  public List<StorageFinding> storageHealth(PluginId plugin) {
    return opened.engine().storageHealth(plugin);
  }

  /**
   * Explains every volume on this node, in order. An obstacle is listed with the time since it
   * appeared. This method calls no plugin.
   */
  public Explanation explain() {
    return opened.engine().explain();
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
   * Writes a bug report into one new ZIP archive, which only its owner may read: the plugins and
   * their health, the volumes, an explanation of each volume, the claims on record, pending work,
   * the last 200 messages for operators, the mounts below the directory, and the versions.
   *
   * <p>The report comes from the manager's records and from the mount table: the manager calls no
   * plugin, reads no mounted directory, and waits for no access that may hang. All data about one
   * volume comes from one moment. The manager continues to work meanwhile, so the data about two
   * volumes may come from two moments.
   *
   * <p>The report contains no secrets, contexts, mount flags or filesystem options. It contains the
   * names of volumes, workloads, plugins and paths, the sources of mounts without the part before
   * the {@code @} of an address, and the messages of plugins as listeners receive them.
   *
   * <pre>{@code
   * Path archive = reports.resolve("csi4j-" + ticket + ".zip"); // must not exist yet
   * manager.dump(archive);
   * }</pre>
   *
   * @param archive the archive, which must not exist yet
   * @throws io.csi4j.volume.model.VolumeException if the file exists, in which case it stays
   *     unchanged, or if the archive cannot be written, in which case the archive is removed
   */
  public void dump(Path archive) {
    opened.report().writeTo(archive);
  }

  /**
   * Closes the manager: it accepts no more operations and waits a bounded time for running ones.
   * Operations that have not ended by then are on record and continue after the next start.
   * Unmounts nothing. Idempotent, and safe on any thread. A closed manager refuses every operation,
   * list and receipt with {@link io.csi4j.volume.model.OperatorCode#ENGINE_CLOSED}; the last known
   * values can still be read.
   */
  @Override
  public void close() {
    opened.close();
  }

  /** A builder for {@link VolumeManager}. */
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
     * Adds a listener for events. Without a listener, the manager logs the events for operators:
     * findings, and failures of releases and of background work.
     */
    public Builder listener(VolumeEvent.Listener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /** Sets the limits and the mount rules of the manager. */
    public Builder settings(ManagerSettings value) {
      settings = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the options of the journal. The journal holds the state unless {@link #state} is called.
     */
    public Builder journal(JournalSettings value) {
      journal = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Keeps the state in this store instead of in a journal below the root. The manager closes the
     * store.
     */
    public Builder state(StateStore store) {
      state = Objects.requireNonNull(store, "store");
      return this;
    }

    /**
     * Makes the node check its claims: a request with a claim is mounted only while the claim is
     * current. Without this setting, a request with a claim is refused.
     */
    public Builder claims(NodeClaims value) {
      claims = Optional.of(value);
      return this;
    }

    /**
     * Uses these mounts instead of the mounts of the running kernel. This is for tests, together
     * with a plugin that mounts in this table. Directories are still created on disk.
     */
    public Builder mounts(MountTable table, Mounts mounts) {
      kernel = Optional.of(new KernelView(table, mounts, Optional.empty()));
      return this;
    }

    /**
     * Uses these mounts instead of the mounts of the running kernel, and this watch, which reports
     * mounts that other programs add and remove.
     */
    public Builder mounts(MountTable table, Mounts mounts, MountWatch watch) {
      kernel = Optional.of(new KernelView(table, mounts, Optional.of(watch)));
      return this;
    }

    /**
     * Opens the manager: locks the state and recovers the volumes. Opening calls no plugin and
     * unmounts nothing.
     *
     * @throws io.csi4j.volume.model.VolumeException if the root or the state cannot be used, if
     *     another manager is using the state ({@link
     *     io.csi4j.volume.model.OperatorCode#STATE_IN_USE}), or if the kernel's mounts cannot be
     *     read here
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
