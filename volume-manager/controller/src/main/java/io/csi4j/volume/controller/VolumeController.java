package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.controller.VolumePage;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.time.IdleScheduler;
import io.csi4j.volume.internal.time.NamedThreads;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The volumes of storage systems, from any host: made, grown, cut into snapshots and deleted by the
 * controllers of their plugins. Remembers what it does before it is done, so that after a crash at
 * any moment no volume is lost, and none is made twice.
 *
 * <p>Methods block until their operation ends; {@link #async} does not. They fail with {@link
 * ControllerException}. One volume has one operation at a time; the others wait in order. Safe for
 * many threads. Of one store there is one controller at a time.
 *
 * <pre>{@code
 * try (VolumeController controller = VolumeController.builder(plugins, store).open()) {
 *   CatalogVolume made =
 *       controller.create(
 *           VolumeKey.of("db"),
 *           VolumeSpec.builder(plugin)
 *               .use(AccessMode.SINGLE_NODE_WRITER, Attachment.FILESYSTEM)
 *               .capacity(CapacityRange.atLeast(1L << 30))
 *               .build());
 *   controller.delete(made.key());
 * }
 * }</pre>
 */
public final class VolumeController implements AutoCloseable {

  private static final String THREADS = "csi4j-volume-controller";

  private final OpenedController opened;
  private final RegistryControllers controllers;
  private final OnDemandThreads threads;

  private VolumeController(
      OpenedController opened, RegistryControllers controllers, OnDemandThreads threads) {
    this.opened = opened;
    this.controllers = controllers;
    this.threads = threads;
  }

  /** Opens a controller; its threads are there only while needed. */
  private static VolumeController open(PluginRegistry registry, OpenedController.Options options) {
    OnDemandThreads threads = new OnDemandThreads(THREADS);
    Scheduler timers = new IdleScheduler(THREADS + "-limits");
    RegistryControllers controllers =
        new RegistryControllers(
            registry,
            options.settings(),
            new RegistryControllers.Ground(timers, threads, new NamedThreads(THREADS + "-plugin")));
    try {
      return new VolumeController(
          new OpenedController(
              options,
              new OpenedController.World(
                  registry, controllers, new SystemClock(), timers, threads)),
          controllers,
          threads);
    } catch (RuntimeException | Error failed) {
      controllers.close();
      threads.close();
      throw failed;
    }
  }

  /**
   * A controller that is not opened yet.
   *
   * @param plugins whose controllers are called
   * @param store where volumes are remembered
   */
  public static Builder builder(PluginRegistry plugins, VolumeStore store) {
    return new Builder(plugins, store);
  }

  // ---- volumes

  /**
   * Makes a volume, or finds the one that was made under the same key. What is made and is not as
   * asked for is deleted again.
   */
  public CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    return await("creating", key, opened.create(key, spec));
  }

  /**
   * Deletes a volume that was made here, unless it has a holder. One that is not on record counts
   * as deleted; one that the storage system does not let go stays as it is, unless it is ephemeral.
   */
  public void delete(VolumeKey key) {
    Done done = await("deleting", key, opened.delete(key));
    assert done == Done.DONE;
  }

  /**
   * Takes a volume on record that was there before, if its plugin agrees to how it is to be used.
   * The same again changes nothing.
   *
   * @param volume its origin has to be {@link CatalogVolume.Origin#REGISTERED}
   */
  public CatalogVolume register(CatalogVolume volume) {
    return await("registering", volume.key(), opened.register(volume));
  }

  /**
   * Forgets a volume without holders, and leaves it where it is: also one that was made here.
   *
   * @return whether it was on record
   */
  public boolean deregister(VolumeKey key) {
    return await("forgetting", key, opened.deregister(key));
  }

  /**
   * Grows a volume, never shrinks it. What the node has to do about it stands in {@link
   * CatalogVolume#owedToNode} until {@link #nodeHasExpanded} is told. A size that the storage
   * system cannot give now is asked for again in the background, until another one takes its place:
   * a larger one, or a smaller one that is not below what the volume has.
   */
  public CatalogVolume expand(VolumeKey key, CapacityRange to) {
    return await("expanding", key, opened.expand(key, to));
  }

  /** Notes that the node has made the volume as large as it is. */
  public CatalogVolume nodeHasExpanded(VolumeKey key) {
    return await("expanding", key, opened.nodeHasExpanded(key));
  }

  /** Changes parameters of a volume; those that are not named stay as they are. */
  public CatalogVolume modify(VolumeKey key, Map<String, String> mutableParameters) {
    return await("modifying", key, opened.modify(key, mutableParameters));
  }

  /** Returns what the plugin says of a volume now: where it is attached, and whether it is well. */
  public VolumeEntry inspect(VolumeKey key) {
    return await("reading", key, opened.inspect(key));
  }

  /** How much room there is for volumes like this one, in one place or anywhere. */
  public Capacity capacity(VolumeSpec spec, Optional<Topology> place) {
    return await("reading the capacity", opened.capacity(spec, place));
  }

  // ---- nodes

  /** Whether claims of volumes of a plugin have to have them attached to nodes. */
  public boolean attaches(PluginId plugin) {
    return opened.attaches(plugin);
  }

  /**
   * Why a volume cannot be claimed now: it is not on record, not there yet, being deleted, or has
   * to be attached while no controller of its plugin can do that. For {@code ClaimBook.asking};
   * does not block. How the plugin is on the node, only that node knows.
   */
  public Optional<ClaimDecision.Refused> whyNotClaimed(ClaimRequest request) {
    return opened.whyNotClaimed(request);
  }

  /** Returns the capabilities that the controllers of a plugin offer. */
  public Set<ControllerCapability> offered(PluginId plugin) {
    return opened.offered(plugin);
  }

  // ---- what is on record

  /** The volume of this key, if it is there and not about to be deleted. */
  public Optional<CatalogVolume> find(VolumeKey key) {
    return opened.find(key).flatMap(CatalogEntry::volume);
  }

  /** All that is remembered of a volume. */
  public Optional<CatalogEntry> record(VolumeKey key) {
    return opened.find(key);
  }

  /** All volumes that are there and not about to be deleted, in the order of their keys. */
  public List<CatalogVolume> volumes() {
    return opened.volumes();
  }

  /** Returns the volumes of one plugin, by its names for them. */
  public Map<VolumeId, VolumeKey> handles(PluginId plugin) {
    return volumes().stream()
        .filter(volume -> volume.plugin().equals(plugin))
        .collect(
            Collectors.toUnmodifiableMap(
                CatalogVolume::id, CatalogVolume::key, (first, other) -> first));
  }

  /**
   * Those with which something was begun that is tried again and again until it is done; and those
   * of which a snapshot may be there that no caller was told of. The latter waits for {@link
   * #createSnapshot} under its name again, or for {@link #dropSnapshot}; {@link CatalogEntry#cuts}
   * names it.
   */
  public List<VolumeKey> owed() {
    return opened.owed();
  }

  /**
   * Deletes every ephemeral volume but these, also one that an earlier life has only begun to make.
   * To be told once after a start. What is claimed, or cannot be deleted now, stays on record.
   *
   * @return those that are still there
   */
  public Set<VolumeKey> retainEphemeral(Collection<VolumeKey> wanted) {
    return opened.retain(wanted).entrySet().stream()
        .filter(entry -> !isDeleted(entry.getKey(), entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean isDeleted(VolumeKey key, CompletableFuture<Done> deletion) {
    try {
      return await("deleting", key, deletion) == Done.DONE;
    } catch (ControllerException left) {
      return false;
    }
  }

  // ---- snapshots

  /** Cuts a snapshot, and waits until it is ready; or finds the one of this name. */
  public Snapshot createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return await("cutting a snapshot of", volume, opened.cut(volume, name, parameters));
  }

  /**
   * Deletes a snapshot, or a group of them, that was asked for and whose fate is not known, as
   * after a crash.
   *
   * @param volume the volume, or one of the group's
   * @return whether one was asked for under this name
   */
  public boolean dropSnapshot(VolumeKey volume, SnapshotName name) {
    return await("dropping a snapshot of", volume, opened.drop(volume, name));
  }

  /** Deletes a snapshot that belongs to no group. One that is gone counts as deleted. */
  public void deleteSnapshot(
      PluginId plugin, Snapshot snapshot, Optional<SecretsReference> secrets) {
    deleteSnapshot(plugin, snapshot.id(), snapshot.groupSnapshotId(), secrets);
  }

  /**
   * Deletes a snapshot of which only the id is left: a plugin refuses one that belongs to a group.
   */
  public void deleteSnapshot(
      PluginId plugin, SnapshotId snapshot, Optional<SecretsReference> secrets) {
    deleteSnapshot(plugin, snapshot, Optional.empty(), secrets);
  }

  private void deleteSnapshot(
      PluginId plugin,
      SnapshotId snapshot,
      Optional<GroupSnapshotId> group,
      Optional<SecretsReference> secrets) {
    String doing = "deleting snapshot '" + snapshot + "'";
    Done done =
        await(doing, opened.run(doing, all -> all.delete(plugin, snapshot, group, secrets)));
    assert done == Done.DONE;
  }

  /**
   * Cuts snapshots of several volumes of one plugin at one moment, and waits until all are ready;
   * with the secrets of the first of them.
   */
  public VolumeGroupSnapshot createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return await("cutting group snapshot '" + name + "'", opened.cut(volumes, name, parameters));
  }

  /** Deletes a group with all its snapshots. One that is gone counts as deleted. */
  public void deleteGroupSnapshot(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    String doing = "deleting group snapshot '" + group + "'";
    Done done =
        await(
            doing,
            opened.run(doing, all -> all.delete(plugin, group, List.copyOf(members), secrets)));
    assert done == Done.DONE;
  }

  // ---- lists

  /**
   * Lists the volumes of the storage system, read as far as it is iterated. May name volumes that
   * are not known here; one that is missing proves nothing.
   */
  public Listing<VolumeEntry> list(PluginId plugin) {
    return opened.lists().volumes(plugin);
  }

  /**
   * One page of the same.
   *
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#LISTING_TOKEN_EXPIRED} if
   *     the plugin does not know the token any more
   */
  public VolumePage list(PluginId plugin, PageRequest page) {
    return opened.lists().page(plugin, page);
  }

  /** The snapshots that the storage system says it has. */
  public Listing<Snapshot> listSnapshots(PluginId plugin, Optional<SecretsReference> secrets) {
    return opened.lists().snapshots(plugin, secrets);
  }

  /**
   * Returns what attaches the volumes on record to nodes, and detaches them: for a {@link
   * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which knows when that may be done.
   */
  public StorageController attachments() {
    return opened.attachments();
  }

  /** Returns the operations that do not block. */
  public AsyncVolumeController async() {
    return new HandedOperations(opened, threads);
  }

  /**
   * Takes no more operations and ends the connections. What is open then is on record, and goes on
   * with the next start. Doing it twice is harmless.
   */
  @Override
  public void close() {
    opened.close();
    threads.close();
    controllers.close();
  }

  /** Waits for an operation with a volume. */
  private static <T> T await(String doing, VolumeKey key, CompletableFuture<T> operation) {
    return await(doing + " volume '" + key + "'", operation);
  }

  private static <T> T await(String doing, CompletableFuture<T> operation) {
    return ControllerOperations.await(OpenedController.subject(doing), operation);
  }

  /** Collects what a controller is opened with. */
  public static final class Builder {

    private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

    private final PluginRegistry plugins;
    private final VolumeStore store;
    private Function<VolumeKey, Optional<Claim>> claims = key -> Optional.empty();
    private Function<SecretsReference, SecretsProvider> secrets =
        reference -> SecretsProvider.none();
    private ControllerSettings settings = ControllerSettings.defaults();
    private String namePrefix = "csi4j-";
    private Duration snapshotPatience = Duration.ofHours(1);
    private ValidationResult.Policy validation = ValidationResult.Policy.ALL_OR_NOTHING;
    private Consumer<OperatorMessage> told = Builder::log;

    private Builder(PluginRegistry plugins, VolumeStore store) {
      this.plugins = Objects.requireNonNull(plugins, "plugins");
      this.store = Objects.requireNonNull(store, "store");
    }

    /** Sets who knows the claims of volumes: without it, volumes have no holders. */
    public Builder claims(Function<VolumeKey, Optional<Claim>> value) {
      claims = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the store that knows the claims of volumes. */
    public Builder claims(ClaimStore value) {
      return claims(key -> Optional.of(value.read(key).claim()));
    }

    /** Where the secrets of a reference come from; asked with each call. None by default. */
    public Builder secrets(Function<SecretsReference, SecretsProvider> value) {
      secrets = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets how controllers are called. */
    public Builder settings(ControllerSettings value) {
      settings = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the prefix of the names of volumes. Hosts that share a storage system, and give the same
     * keys to their volumes, need different ones. {@code csi4j-} by default.
     */
    public Builder namePrefix(String value) {
      namePrefix = Objects.requireNonNull(value, "value");
      return this;
    }

    /** How long a snapshot may take until it is ready. An hour by default. */
    public Builder snapshotPatience(Duration value) {
      snapshotPatience = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * How much of its use has to be confirmed before a volume is registered. All or nothing by
     * default: some plugins never confirm, and one that confirms only part of what it is asked does
     * not know the rest. {@link ValidationResult.Policy#LENIENT} takes such volumes too.
     */
    public Builder validation(ValidationResult.Policy value) {
      validation = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the listener for messages to people though nothing failed, such as why a plugin confirms
     * nothing of a volume. Called within the operation that it is about; must neither block nor
     * throw. Logged by default.
     */
    public Builder told(Consumer<OperatorMessage> value) {
      told = Objects.requireNonNull(value, "value");
      return this;
    }

    private static void log(OperatorMessage message) {
      LOG.log(
          switch (message.code().severity()) {
            case INFO -> System.Logger.Level.INFO;
            case WARNING -> System.Logger.Level.WARNING;
            case ERROR -> System.Logger.Level.ERROR;
          },
          message.line());
    }

    /**
     * Opens it, and goes on in the background with what an earlier life has begun.
     *
     * @throws io.csi4j.volume.state.StateException if the store cannot be read
     */
    public VolumeController open() {
      return VolumeController.open(
          plugins,
          new OpenedController.Options(
              store, claims, secrets, settings, namePrefix, snapshotPatience, validation, told));
    }
  }
}
