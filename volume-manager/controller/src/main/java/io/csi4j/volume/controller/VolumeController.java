package io.csi4j.volume.controller;

import static io.csi4j.volume.controller.OperationRunner.await;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.UnusedVolume;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.catalog.view.VolumesView;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.store.RecordStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates, expands, snapshots and deletes the volumes of storage systems through the controllers of
 * their plugins, from any host. Each operation is recorded before its call, so that after a crash
 * at any moment no volume is lost, and none is created twice.
 *
 * <p>Methods block until their operation ends; those of {@link #async} do not. They fail with
 * {@link ControllerException}. A volume has one operation at a time; the others wait in order.
 * Thread-safe.
 *
 * <p>Several controllers, in any processes, may share a store that several processes can open. Work
 * on a volume has one owner among them; when the owner has ended, another controller continues the
 * work. A {@code LocalStore} has one controller at a time. Controllers that share a store form a
 * cluster, to which {@link ClusterSetup} gives an identity.
 *
 * <pre>{@code
 * try (VolumeController controller = VolumeController.builder(plugins, store).open()) {
 *   CatalogVolume made =
 *       controller.create(
 *           VolumeKey.of("db"),
 *           VolumeSpec.builder(plugin)
 *               .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.FILESYSTEM)
 *               .capacity(CapacityRange.atLeast(1L << 30))
 *               .build());
 *   controller.delete(made.key());
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class VolumeController implements AutoCloseable {

  /** The number of volumes of a batch that are processed at a time. */
  private static final int AT_ONCE = 16;

  /** The number of volumes whose claims are read at a time. */
  private static final int PAGE = 500;

  /** The number of claims whose release is advanced in the background at a time. */
  private static final int RELEASES = 64;

  private static final VolumeFilter THERE =
      VolumeFilter.all().inState(VolumeSummary.State.PRESENT, VolumeSummary.State.GROWING);

  private final Catalog catalog;
  private final Controllers controllers;
  private final ControllerCalls calls;
  private final PluginRegistry registry;
  private final PluginInstances instances;
  private final VolumeModification changes;
  private final SnapshotCreation snapshots;
  private final UnfinishedWork unfinished;
  private final StorageReads reads;
  private final AsyncVolumeController async;
  private final VolumeClaims claims;
  private final boolean knowsClaims;
  private final boolean holdsWhatItDeletes;
  private final OperationReports reports;
  private final OperationRunner runner;

  /** Limited, so that a storage system that hangs does not block one thread for each claim. */
  private final OnDemandThreads releases = new OnDemandThreads("csi4j-volume-release", RELEASES);

  private final Runnable ending;
  private final UpkeepTurn upkeep;
  private final RecordStore store;
  private final ControlPlaneSession session;

  /** The control plane that had each upkeep chore at the last request for it. */
  private final ConcurrentMap<String, String> upkeepOwners = new ConcurrentHashMap<>();

  /**
   * Opens a controller, and continues the work that an earlier process has begun.
   *
   * @param threads the threads that run operations
   * @param ending closes the resources that were created for this controller
   */
  VolumeController(
      Builder options,
      Controllers controllers,
      Clock clock,
      Scheduler timers,
      Executor threads,
      Runnable ending) {
    int waiters = options.settings.waiters();
    Duration longestWait = options.settings.longestWait();
    reports = new OperationReports(options.listeners, clock);
    this.controllers = reports.isOn() ? new ReportedControllers(controllers, reports) : controllers;
    this.ending = ending;
    registry = options.plugins;
    instances = options.instances();
    claims =
        new VolumeClaims(
            options.claims,
            Optional.ofNullable(options.claimStore)
                .map(it -> new RecordValues<>(it, new ClaimCodec())));
    knowsClaims = options.knowsClaims;
    holdsWhatItDeletes = options.claimStore != null;
    store = options.store;
    session =
        new ControlPlaneSession(
            store, options.controlPlane, clock, timers, threads, options.sessionExpiry, reports);
    catalog =
        new Catalog(
            options.store, Optional.ofNullable(options.cluster), session, clock, longestWait);
    upkeep = new UpkeepTurn(options.store, session);
    calls = new ControllerCalls(options.secrets);
    runner =
        new OperationRunner(new OperationTurns<>(waiters, longestWait, timers), reports, threads);
    VolumePlaces places = new VolumePlaces(runner, catalog, this.controllers, calls, options.told);
    changes =
        new VolumeModification(
            catalog, this.controllers, calls, claims, options.told, places::ask, clock);
    VolumeDeletion deletion =
        new VolumeDeletion(catalog, this.controllers, calls, changes, claims, options);
    VolumeCreation creation =
        new VolumeCreation(catalog, this.controllers, calls, deletion, claims, options);
    snapshots =
        new SnapshotCreation(
            catalog,
            this.controllers,
            calls,
            clock,
            timers,
            new OperationTurns<>(waiters, longestWait, timers),
            options.snapshotPatience);
    reads =
        new StorageReads(
            runner,
            catalog,
            this.controllers,
            calls,
            places,
            options.settings.policy(),
            options.told);
    unfinished =
        new UnfinishedWork(catalog, timers, options.firstPause, this::retry, options.told, reports);
    async =
        new AsyncVolumeController(
            catalog, runner, unfinished, creation, changes, deletion, snapshots, reads);
    unfinished.later();
    session.report();
  }

  private CompletableFuture<?> retry(VolumeKey key) {
    return async.retry(key);
  }

  /**
   * Returns a builder for a controller.
   *
   * @param plugins the registry of the plugins to call
   * @param store the store of the catalog; it is not closed; it may also hold the claims
   */
  public static Builder builder(PluginRegistry plugins, RecordStore store) {
    return new Builder(plugins, store);
  }

  // ---- volumes

  /**
   * Creates a volume, or finds the one that was created with the same key. Until the volume exists,
   * the call may be repeated with other topologies, as the first ones may have no free capacity. A
   * created volume that does not match the request is deleted again.
   */
  public CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    return await(async.create(key, spec));
  }

  /**
   * Deletes a volume that was created here, unless it has a holder. A volume without a record
   * counts as deleted. If the storage system refuses the deletion, the record stays as before. A
   * volume that is ephemeral, or for which a call to delete it may have been made earlier, stays
   * marked for deletion instead. If the storage system cannot be called, the deletion stays
   * recorded and continues in the background: the outcome is UNCERTAIN.
   */
  public void delete(VolumeKey key) {
    var unused = await(async.delete(key));
  }

  /**
   * Registers a volume that existed before, if its plugin confirms the intended use. A repeated
   * call changes nothing. A changed description of the volume updates the record once the plugin
   * confirms it: mount options, kinds of use, topologies, context and secrets. While workloads hold
   * the volume, only the reference to its secrets can be changed. The recorded size and mutable
   * parameters are not changed.
   *
   * @param volume the volume; its origin must be {@link CatalogVolume.Origin#REGISTERED}
   * @return the volume as recorded then
   * @throws ControllerException {@link OperatorCode#VOLUME_REQUEST_REFUSED} if it has another
   *     origin; {@link OperatorCode#VOLUME_KNOWN_OTHERWISE} if another volume is recorded with this
   *     key; {@link OperatorCode#VOLUME_CLAIMED} if a workload holds it
   */
  public CatalogVolume register(CatalogVolume volume) {
    return await(async.register(volume));
  }

  /**
   * Creates the record of a volume that a cluster of csi4j has created and that no record names any
   * more, for example after the loss of its store. The volume can then be deleted here; it is never
   * reaped if the cluster is another one. A repeated call changes nothing.
   *
   * @param cluster the cluster that has created the volume: this one, or a former one
   * @param volume the volume; its origin must be {@link CatalogVolume.Origin#CREATED}, its id that
   *     of one of {@link #unknownVolumes}; a missing context or size is taken from the plugin's
   *     list
   * @throws ControllerException {@link OperatorCode#VOLUME_REQUEST_REFUSED} if the list does not
   *     contain the volume
   */
  public CatalogVolume adopt(ClusterIdentity cluster, CatalogVolume volume) {
    return await(async.adopt(cluster, volume));
  }

  /**
   * Removes the record of a volume without holders, including one that was created here; the volume
   * itself is not touched. Refused if the volume has a snapshot that was not reported to a caller,
   * or is claimed during this call. Claims made later do not attach the volume.
   *
   * @return whether the volume had a record
   */
  public boolean deregister(VolumeKey key) {
    return await(async.deregister(key));
  }

  /**
   * Removes the record of a volume although workloads hold it or a snapshot of it is pending; the
   * volume and the snapshot are not touched. Its claims stay, and a person must end them: the
   * volume is no longer attached, detached or deleted by csi4j. The person, the reason and the
   * holders are reported as {@link OperatorCode#VOLUME_FORGOTTEN}.
   *
   * @return whether the volume had a record
   */
  public boolean deregister(VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    return await(async.deregister(key, by, reason));
  }

  /**
   * Registers many volumes, {@value #AT_ONCE} at a time. A failed or invalid volume does not
   * prevent the others from being registered.
   *
   * @return the volumes that failed, each with the reason; empty if all are registered
   */
  public Map<VolumeKey, ControllerException> registerAll(Collection<CatalogVolume> all) {
    return failures(all, CatalogVolume::key, async::register);
  }

  /** Deregisters many volumes without holders, as {@link #registerAll} registers them. */
  public Map<VolumeKey, ControllerException> deregisterAll(Collection<VolumeKey> all) {
    return failures(all, Function.identity(), async::deregister);
  }

  private static <T> Map<VolumeKey, ControllerException> failures(
      Collection<T> all, Function<T, VolumeKey> key, Function<T, CompletionStage<?>> begin) {
    Map<VolumeKey, ControllerException> failed = new TreeMap<>();
    Deque<Runnable> inFlight = new ArrayDeque<>();
    for (T each : List.copyOf(all)) {
      if (inFlight.size() == AT_ONCE) {
        inFlight.remove().run();
      }
      CompletionStage<?> begun = begin.apply(each);
      inFlight.add(
          () -> {
            try {
              var unused = await(begun);
            } catch (ControllerException why) {
              failed.put(key.apply(each), why);
            }
          });
    }
    inFlight.forEach(Runnable::run);
    return Collections.unmodifiableMap(failed);
  }

  /**
   * Expands a volume; never shrinks it. If the node must expand the filesystem, {@link
   * CatalogVolume#pendingOnNode} has the size until {@link #nodeHasExpanded} is called. If the
   * storage system cannot provide the size now, the request is repeated in the background until
   * another size replaces it: a larger one, or a smaller one that is not below the current size.
   */
  public CatalogVolume expand(VolumeKey key, CapacityRange to) {
    return await(async.expand(key, to));
  }

  /**
   * Records that the node has expanded the volume to the requested size. Does nothing if another
   * size is pending by now; that size stays in {@link CatalogVolume#pendingOnNode}.
   *
   * @param to the size given to the node, as {@link CatalogVolume#pendingOnNode} had it
   */
  public CatalogVolume nodeHasExpanded(VolumeKey key, CapacityRange to) {
    return await(async.nodeHasExpanded(key, to));
  }

  /**
   * Records why a node cannot expand the filesystem of a volume, for {@link #changes}. Does nothing
   * if another size is pending by now, or if a refusal of this size is already recorded. {@link
   * #nodeHasExpanded}, or a request for another size, removes the refusal.
   *
   * @param to the size given to the node, as {@link CatalogVolume#pendingOnNode} had it
   * @param why the failure message of the node
   */
  public CatalogVolume nodeCannotExpand(VolumeKey key, CapacityRange to, OperatorMessage why) {
    return await(async.nodeCannotExpand(key, to, why));
  }

  /**
   * Returns the requested changes of size and parameters that are not done: those that are repeated
   * in the background, those that were refused, and those that are pending on the node. A refusal
   * is kept, also across restarts, until a change of the same kind is requested again. A pending
   * deletion is included. Reads the store of the catalog if the view of the volumes is not up to
   * date, and waits for it.
   */
  public List<VolumeChange> changes(VolumeKey key) {
    return unfinished.shown(key, changes.changes(key));
  }

  /**
   * Resumes the pending work on a volume immediately, even if it waits for a person: its deletion,
   * or a change of size or parameters. A failure is retried in the background, unless it needs a
   * person again. Does nothing if no work on the volume is pending.
   *
   * @throws ControllerException as the pending operation
   */
  public void resume(VolumeKey key) {
    var unused = await(async.resume(key));
  }

  /**
   * Abandons the changes of size and parameters that are repeated in the background: no more
   * requests are sent for them. The effect of their last attempts on the storage system is not
   * known: some of the parameters may be in force, and the node is asked to expand the filesystem
   * to the size. Refused changes stay in {@link #changes}. A deletion continues until it is done;
   * {@link #deregister} removes the record of its volume.
   *
   * @return the abandoned changes, with the failures of their last attempts
   */
  public List<VolumeChange> abandon(VolumeKey key) {
    return await(async.abandon(key));
  }

  /**
   * Changes parameters of a volume; parameters that are not given stay unchanged. If the result is
   * uncertain, the request is repeated in the background until the result is known.
   */
  public CatalogVolume modify(VolumeKey key, Map<String, String> mutableParameters) {
    return await(async.modify(key, mutableParameters));
  }

  /**
   * Returns the current state of a volume from its plugin: where it is attached, and its health. If
   * the plugin reports other topologies than the recorded ones, they are recorded, as with each
   * list and after a modification, and {@link OperatorCode#VOLUME_TOPOLOGY_CHANGED} is reported. An
   * answer without topologies changes nothing, and a registered volume keeps the topologies of its
   * description.
   */
  public VolumeEntry inspect(VolumeKey key) {
    return await(async.inspect(key));
  }

  /**
   * Determines whether a volume exists that a node cannot find: checks its record, then calls
   * ControllerGetVolume or ListVolumes, if the plugin offers one, then ValidateVolumeCapabilities.
   * The volume is gone only if one of these says so; if the plugin does not answer, or the answer
   * is not conclusive, the verdict is {@linkplain VolumeVerdict.Unknown unknown}.
   *
   * @throws ControllerException if the store cannot be read
   */
  public VolumeVerdict verdict(VolumeKey key) {
    return await(async.verdict(key));
  }

  /**
   * Returns all current faults of a volume that the plugin reports, whatever its version of CSI;
   * empty if the plugin does not report the health of the volume. A plugin that offers neither
   * GET_VOLUME_HEALTH nor VOLUME_CONDITION with GET_VOLUME is not called. To watch many volumes,
   * use {@code HealthMonitor}.
   */
  @Experimental
  public Optional<VolumeHealthReport> health(VolumeKey key) {
    return await(async.health(key));
  }

  /** Returns the free capacity for volumes like this one, in one topology or anywhere. */
  public Capacity capacity(VolumeSpec spec, Optional<Topology> place) {
    return await(async.capacity(spec, place));
  }

  // ---- nodes

  /** Whether volumes of a plugin must be attached to nodes; false if it has no controller. */
  public boolean attaches(PluginId plugin) {
    return await(async.attaches(plugin));
  }

  /**
   * Returns why a volume cannot be claimed now: it has no record, does not exist yet, is being
   * deleted, does not support the requested use, or must be attached while no controller of its
   * plugin can do that. For a {@code ClaimBook} that is used without a coordinator ({@code
   * ClaimBook.asking}). Reads the record of the volume from the store of the catalog, and waits for
   * it. The state of the plugin on the node is not considered.
   */
  public Optional<ClaimDecision.Refused> whyNotClaimed(ClaimRequest request) {
    return attachments().whyNot(request);
  }

  /** Returns the capabilities that the controllers of a plugin offer. */
  public Set<ControllerCapability> offered(PluginId plugin) {
    return await(async.offered(plugin));
  }

  // ---- records

  /**
   * Returns the volume with this key, if it exists and is not about to be deleted. Reads the store.
   *
   * @throws ControllerException if the store cannot be read
   */
  public Optional<CatalogVolume> find(VolumeKey key) {
    return catalog.find(key).flatMap(CatalogEntry::volume);
  }

  /**
   * Returns the record of a volume. Reads the store.
   *
   * @throws ControllerException if the store cannot be read
   */
  public Optional<CatalogEntry> record(VolumeKey key) {
    return catalog.find(key);
  }

  /**
   * Returns all volumes that exist and are not about to be deleted, in the order of their keys.
   * This list and the others may lack a recent write of another control plane.
   */
  public List<CatalogVolume> volumes() {
    return catalog.volumes();
  }

  /**
   * Returns one page of the recorded volumes, in the order of their keys, with their claims and
   * pending changes; includes volumes that are being created or deleted. Reads the claim of each
   * volume of the page. An unreadable claim or record is shown as such, and hides no other volume.
   *
   * @param wanted the filter
   * @param page the maximum number of volumes, and the start: the first volume, or the token of the
   *     previous page
   * @param plugins returns the state of each plugin
   * @throws ControllerException {@link OperatorCode#CLAIM_STORE_DOWN} if the claims cannot be read
   */
  public VolumeSummary.Page summaries(
      VolumeFilter wanted, PageRequest page, Function<PluginId, PluginView> plugins) {
    Optional<VolumeKey> after = page.token().map(VolumeController::key);
    int most =
        page.maxEntries() == 0
            ? Integer.MAX_VALUE - 1
            : Math.min(page.maxEntries(), Integer.MAX_VALUE - 1);
    List<Catalog.Listed> found = catalog.list(after, wanted, most + 1);
    List<Catalog.Listed> shown = found.subList(0, Math.min(most, found.size()));
    Optional<VolumeKey> last =
        shown.size() == found.size()
            ? Optional.empty()
            : Optional.of(shown.get(shown.size() - 1).entry().key());
    Map<PluginId, PluginView> views = new HashMap<>();
    Map<VolumeKey, VolumeClaims.Listed> held =
        claims.claims(shown.stream().map(each -> each.entry().key()).toList());
    return new VolumeSummary.Page(
        shown.stream()
            .map(
                each ->
                    summary(
                        each,
                        Objects.requireNonNull(held.get(each.entry().key())),
                        views.computeIfAbsent(each.entry().spec().plugin(), plugins)))
            .toList(),
        catalog.unreadable(after, last, wanted),
        last.map(VolumeController::token));
  }

  /**
   * Returns the recorded volumes that no workload has used since a given time, in the order of
   * their keys. This is advice for people; nothing is deleted because of it. Does not include a
   * volume whose last use is not known or whose claim cannot be read, nor an ephemeral volume,
   * which is deleted when its use ends. Reads the claims of all volumes.
   *
   * @param before the time before which the last use of a volume must have ended
   * @throws ControllerException {@link OperatorCode#CLAIM_STORE_DOWN} if the claims cannot be read,
   *     or the controller was opened without claims
   */
  public List<UnusedVolume> unused(Instant before) {
    if (!knowsClaims) {
      throw ControllerFailures.unavailable(
          OperatorCode.CLAIM_STORE_DOWN,
          Subject.of("looking for unused volumes"),
          "the controller was opened without claims, so it does not know which volumes are in use");
    }
    List<UnusedVolume> found = new ArrayList<>();
    Optional<VolumeKey> after = Optional.empty();
    List<Catalog.Listed> page;
    do {
      page = catalog.list(after, THERE, PAGE);
      List<VolumeKey> keys = page.stream().map(each -> each.entry().key()).toList();
      Map<VolumeKey, VolumeClaims.Listed> held = claims.claims(keys);
      for (Catalog.Listed each : page) {
        unused(each, Objects.requireNonNull(held.get(each.entry().key())))
            .filter(volume -> volume.since().isBefore(before))
            .ifPresent(found::add);
      }
      after = keys.isEmpty() ? after : Optional.of(keys.get(keys.size() - 1));
    } while (page.size() == PAGE);
    return List.copyOf(found);
  }

  private static Optional<UnusedVolume> unused(Catalog.Listed listed, VolumeClaims.Listed claim) {
    if (listed.entry().spec().ephemeral() || claim.problem().isPresent()) {
      return Optional.empty();
    }
    return listed
        .entry()
        .volume()
        .flatMap(
            volume ->
                VolumeSummary.unusedSince(claim.claim(), listed.written().created())
                    .map(
                        since ->
                            new UnusedVolume(
                                volume.key(),
                                ControllerCalls.identity(volume),
                                volume.origin(),
                                volume.capacityBytes(),
                                since)));
  }

  private VolumeSummary summary(
      Catalog.Listed volume, VolumeClaims.Listed claim, PluginView plugin) {
    List<VolumeChange> pending = changes(volume.entry().key());
    return claim
        .problem()
        .map(why -> VolumeSummary.of(volume.entry(), volume.written(), pending, why, plugin))
        .orElseGet(
            () ->
                VolumeSummary.of(volume.entry(), volume.written(), pending, claim.claim(), plugin));
  }

  /** The length comes first, because a namespace may contain any character. */
  private static String token(VolumeKey key) {
    return key.namespace().value().length() + ":" + key.namespace() + key.id();
  }

  private static VolumeKey key(String token) {
    try {
      int colon = token.indexOf(':');
      int end = colon + 1 + Integer.parseInt(token, 0, Math.max(0, colon), 10);
      return VolumeKey.of(Namespace.of(token.substring(colon + 1, end)), token.substring(end));
    } catch (RuntimeException notOurs) {
      throw ControllerFailures.refused(
          OperatorCode.LISTING_TOKEN_EXPIRED,
          Subject.of("listing volumes"),
          "'" + token + "' is not a page token of this list");
    }
  }

  /**
   * Returns the volumes of one plugin by the plugin's ids. An id that several records have is left
   * out: an attachment of such a volume cannot be assigned to one of the records.
   */
  public Map<VolumeId, VolumeKey> handles(PluginId plugin) {
    Map<VolumeId, List<CatalogEntry>> records =
        catalog.all().stream()
            .filter(record -> record.spec().plugin().equals(plugin) && record.id().isPresent())
            .collect(Collectors.groupingBy(record -> record.id().orElseThrow()));
    return records.values().stream()
        .filter(same -> same.size() == 1)
        .flatMap(same -> same.get(0).volume().stream())
        .collect(Collectors.toUnmodifiableMap(CatalogVolume::id, CatalogVolume::key));
  }

  /**
   * Returns the volumes with an operation that has begun and is repeated until it is done, and the
   * volumes with a snapshot that may exist and was not reported to a caller. Such a snapshot waits
   * for {@link #createSnapshot} with the same name, or for {@link #dropSnapshot}; {@link
   * CatalogEntry#pendingSnapshots} lists it.
   */
  public List<VolumeKey> pending() {
    return unfinished.owed();
  }

  /**
   * Returns the volumes that this control plane does not work on before a person has intervened:
   * {@link #changes} gives the reason, and {@link #resume} continues the work. A volume that waits
   * for a store continues automatically, at most 30 s after a person has settled the store. If
   * there are several control planes, each finds out with its own attempt, at most a minute after
   * the first. A volume is no longer returned once any control plane has made progress with it, as
   * its record shows.
   */
  public List<VolumeKey> held() {
    return unfinished.held();
  }

  /**
   * Deletes every {@linkplain #ephemeral ephemeral volume of this cluster} except the given ones,
   * including volumes whose creation an earlier process has only begun. Call it once after a start.
   * {@value #AT_ONCE} volumes are processed at a time; a volume that is claimed, or cannot be
   * deleted now, stays recorded.
   *
   * @return the volumes that still exist
   */
  public Set<VolumeKey> retainEphemeral(Collection<VolumeKey> wanted) {
    List<VolumeKey> others = ephemeral().stream().filter(key -> !wanted.contains(key)).toList();
    return failures(others, Function.identity(), async::delete).keySet();
  }

  /**
   * Returns the ephemeral volumes that this cluster has created, in the order of their keys,
   * including those that are being created or deleted. A volume whose name does not carry the
   * identity of the cluster is not included: volumes from before the cluster had an identity, and
   * volumes adopted from another cluster, are deleted only by {@link #delete}.
   */
  public List<VolumeKey> ephemeral() {
    return catalog.own().filter(each -> each.spec().ephemeral()).map(CatalogEntry::key).toList();
  }

  /** Whether deletions hold the claims of their volumes. */
  boolean holdsWhatItDeletes() {
    return holdsWhatItDeletes;
  }

  /** Returns the claims of volumes. */
  VolumeClaims claims() {
    return claims;
  }

  // ---- snapshots

  /**
   * Creates a snapshot and waits until it is ready, or finds the one of this name. An interrupt
   * only ends the wait: {@link #dropSnapshot} deletes the snapshot.
   */
  public Snapshot createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return await(async.createSnapshot(volume, name, parameters));
  }

  /**
   * Creates a snapshot that is usable from given topologies and waits until it is ready, or finds
   * the one of this name. {@link Snapshot#accessibleTopology} has the topologies from which it is
   * usable.
   *
   * @param usableFrom the topologies from which it must be usable
   * @throws ControllerException {@link OperatorCode#CONTROLLER_CALL_NOT_OFFERED}, before anything
   *     is sent, if the plugin does not offer SNAPSHOT_ACCESSIBILITY_CONSTRAINTS
   */
  @Experimental
  public Snapshot createSnapshot(
      VolumeKey volume,
      SnapshotName name,
      Map<String, String> parameters,
      TopologyRequirement usableFrom) {
    return await(async.createSnapshot(volume, name, parameters, usableFrom));
  }

  /**
   * Deletes a requested snapshot, or group of snapshots, whose state is uncertain, for example
   * after a crash or an interrupt. The request is not repeated: a caller that still waits for it
   * gets {@link OperatorCode#SNAPSHOT_UNKNOWN}. Do not use its name again: a late deletion may
   * delete another snapshot of that name.
   *
   * @param volume the volume, or any volume of the group
   * @return whether a snapshot was requested under this name; false also if the volume has no
   *     record
   */
  public boolean dropSnapshot(VolumeKey volume, SnapshotName name) {
    return await(async.dropSnapshot(volume, name));
  }

  /** Deletes a snapshot that belongs to no group. A missing snapshot counts as deleted. */
  public void deleteSnapshot(
      PluginId plugin, Snapshot snapshot, Optional<SecretsReference> secrets) {
    var unused = await(async.deleteSnapshot(plugin, snapshot, secrets));
  }

  /**
   * Deletes a snapshot of which only the id is known; a plugin refuses to delete one that belongs
   * to a group.
   */
  public void deleteSnapshot(
      PluginId plugin, SnapshotId snapshot, Optional<SecretsReference> secrets) {
    var unused = await(async.deleteSnapshot(plugin, snapshot, secrets));
  }

  /**
   * Creates snapshots of several volumes of one plugin at one moment, with the secrets of the first
   * volume, and waits until all are ready.
   */
  public VolumeGroupSnapshot createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return await(async.createGroupSnapshot(volumes, name, parameters));
  }

  /** Deletes a group with all its snapshots. A missing group counts as deleted. */
  public void deleteGroupSnapshot(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    var unused = await(async.deleteGroupSnapshot(plugin, group, members, secrets));
  }

  // ---- lists

  /**
   * Lists the volumes of the storage system; pages are read as the listing is iterated. The list
   * may contain volumes without a record here; a missing volume proves nothing.
   */
  public Listing<VolumeEntry> list(PluginId plugin) {
    return reads.volumes(plugin);
  }

  /**
   * Lists the volumes of the storage system that a cluster has created and that have no record
   * here: those whose id or context contains a name with its identity. Nothing is changed, and no
   * volume is ever deleted because of this list; a person can {@linkplain #adopt adopt} each
   * volume. Volumes are not found if their plugin shows the name neither in the id nor in the
   * context.
   *
   * @param cluster this cluster, or a former one whose store was lost
   */
  public List<VolumeEntry> unknownVolumes(PluginId plugin, ClusterIdentity cluster) {
    return reads.unknown(plugin, cluster);
  }

  /**
   * Returns one page of {@link #list(PluginId)}.
   *
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#LISTING_TOKEN_EXPIRED} if
   *     the plugin no longer knows the token
   */
  public Page<VolumeEntry> list(PluginId plugin, PageRequest page) {
    return await(async.list(plugin, page));
  }

  /**
   * Lists the health of the volumes of the storage system, whatever the plugin's version of CSI;
   * pages are read as the listing is iterated. With LIST_VOLUME_HEALTH, the list has the unhealthy
   * volumes, and perhaps some healthy ones; otherwise, with VOLUME_CONDITION, all volumes whose
   * condition the plugin reports. The list may contain volumes without a record here. A list is not
   * a snapshot of one moment: a volume that is missing once may still be unhealthy.
   *
   * @param secrets the reference to the secrets of the list, which are requested at each reading
   */
  @Experimental
  public Listing<VolumeHealthReport> listHealth(
      PluginId plugin, Optional<SecretsReference> secrets) {
    return reads.health(plugin, () -> secrets);
  }

  /**
   * Lists health with the secrets of the plugin's recorded volumes if all of them have the same,
   * and without secrets otherwise.
   */
  @Experimental
  public Listing<VolumeHealthReport> listHealth(PluginId plugin) {
    return reads.health(plugin, () -> reads.commonSecrets(plugin));
  }

  /** Lists the snapshots of the storage system; secrets are requested at each reading. */
  public Listing<Snapshot> listSnapshots(PluginId plugin, Optional<SecretsReference> secrets) {
    return reads.snapshots(plugin, secrets);
  }

  /**
   * Returns the object that attaches recorded volumes to nodes and detaches them, for a {@link
   * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which knows when that is safe.
   */
  public StorageController attachments() {
    return new CatalogAttachments(catalog, controllers, calls, instances, reports);
  }

  /**
   * Returns snapshots for backups, created quickly so that a paused application can continue and
   * ready later, and the blocks that changed between two snapshots.
   */
  public SnapshotBackups backups() {
    return new SnapshotBackups(
        catalog, snapshots, new MetadataStreams(controllers, calls, reads.policy()), runner);
  }

  /**
   * Takes an upkeep chore, unless another control plane that shares the store has it. A chore is
   * work that one control plane does at a time, such as that of a {@code VolumeKeeper}. This
   * control plane has the chore until {@link #leaveUpkeep} is called or it is closed; if its
   * process ends otherwise, another control plane takes the chore 30 to 60 s later. Two control
   * planes may run the same chore for a moment, which does no harm. A control plane of an earlier
   * version has all chores or none.
   *
   * @param chore the name of the chore, the same in all control planes
   * @return the name of the control plane that has it; empty if it is this one
   * @throws ControllerException if the store cannot be accessed, or this controller is closed
   */
  public Optional<String> takeUpkeep(String chore) {
    Names.check("name of a chore", chore);
    Optional<String> other = Catalog.asked(UpkeepTurn.TAKING, () -> upkeep.take(chore));
    upkeepOwners.put(chore, other.orElseGet(session::controlPlane));
    return other;
  }

  /**
   * Leaves an upkeep chore to the other control planes: the next one that asks for it takes it. If
   * the store cannot be written, they take it once this one is closed. Does nothing if this control
   * plane does not have the chore.
   */
  public void leaveUpkeep(String chore) {
    upkeepOwners.remove(chore, session.controlPlane());
    upkeep.leave(chore);
  }

  // ---- status

  /**
   * Returns the state of this control plane, for gauges and health checks. Reads no store and calls
   * no plugin, and waits for neither.
   */
  public ControlPlaneStatus status() {
    CatalogView.Peek<Catalog.Known> peek = catalog.peek();
    Map<VolumeSummary.State, Integer> states = new EnumMap<>(VolumeSummary.State.class);
    peek.records().forEach(it -> states.merge(VolumeSummary.State.of(it.entry()), 1, Integer::sum));
    return new ControlPlaneStatus(
        session.controlPlane(),
        catalog.wall(),
        states,
        peek.unreadable(),
        peek.age(),
        (int) peek.records().stream().filter(Catalog.Known::isHere).count(),
        (int) peek.records().stream().filter(Catalog.Known::isElsewhere).count(),
        peek.records().stream()
            .filter(it -> ControlPlaneStatus.Pending.isPending(it.entry()))
            .map(this::pending)
            .toList(),
        session.state(),
        upkeepOwners,
        store.readOnly());
  }

  private ControlPlaneStatus.Pending pending(Catalog.Known known) {
    VolumeKey key = known.entry().key();
    return new ControlPlaneStatus.Pending(
        key,
        ControlPlaneStatus.Pending.operation(known.entry()),
        known.changed(),
        unfinished.attempts(key),
        unfinished.failure(key),
        unfinished.isHeld(known.entry()),
        unfinished.next(key),
        known.owner());
  }

  /**
   * Returns the pending operations on a volume, the reasons, and the next steps. Reads the store;
   * calls no plugin.
   *
   * @throws ControllerException if the store cannot be read
   */
  public VolumeExplanation explain(VolumeKey key) {
    return explain(
        key, status().pending().stream().filter(it -> it.volume().equals(key)).findFirst());
  }

  private VolumeExplanation explain(VolumeKey key, Optional<ControlPlaneStatus.Pending> pending) {
    Subject subject = Subject.of("explaining volume '" + key + "'");
    Optional<VolumesView.Volume> volume =
        Catalog.asked(subject, () -> VolumesView.find(store, key));
    return new VolumeExplanation(key, volume, changes(key), pending);
  }

  /**
   * Writes a report for a bug into a new ZIP archive, which only its owner may read: the state of
   * this control plane, the plugins and their health, the nodes of the cluster, the volumes, the
   * pending operations with their reasons, and the versions. Reads the store; calls no plugin. It
   * contains no secrets, contexts, mount flags or values of parameters; it contains names of
   * volumes, plugins and paths, and messages of plugins as listeners receive them.
   *
   * @param archive the path of the archive, which must not exist yet
   * @throws ControllerException if the path exists, in which case it is left as it is, or if the
   *     archive cannot be written or the store cannot be read, in which case no file is left
   */
  public void dump(Path archive) {
    List<Catalog.Listed> listed =
        catalog.list(Optional.empty(), VolumeFilter.all(), Integer.MAX_VALUE);
    ControlPlaneStatus status = status();
    new ControllerReport(
            status,
            registry.plugins(),
            new NodeBook(store).all(),
            listed,
            status.pending().stream().map(it -> explain(it.volume(), Optional.of(it))).toList())
        .writeTo(archive);
  }

  /** Advances the release of a claim in the background, so that no caller has to wait. */
  <T> CompletableFuture<T> inBackground(Subject subject, Supplier<T> work) {
    try {
      return CompletableFuture.supplyAsync(work, releases);
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      return CompletableFuture.failedFuture(
          ControllerFailures.noThread(subject, "the controller is closed", refused));
    }
  }

  /** Returns the non-blocking operations. */
  public AsyncVolumeController async() {
    return async;
  }

  /**
   * Accepts no more operations and closes the connections. Open operations stay recorded, and
   * continue after the next start. Closing again has no effect.
   */
  @Override
  public void close() {
    unfinished.close();
    upkeep.close();
    releases.close();
    ending.run();
    catalog.close();
  }

  /** Builder of a {@link VolumeController}. */
  public static final class Builder {

    private static final String THREADS = "csi4j-volume-controller";

    final PluginRegistry plugins;
    final RecordStore store;
    private Function<PluginId, List<RegisteredPlugin>> elsewhere = plugin -> List.of();
    Function<VolumeKey, Optional<Claim>> claims = key -> Optional.empty();
    private boolean knowsClaims;
    private @Nullable RecordStore claimStore;
    Function<SecretsReference, SecretsProvider> secrets = reference -> SecretsProvider.none();
    ControllerSettings settings = ControllerSettings.defaults();
    Duration snapshotPatience = Duration.ofHours(1);
    private Duration firstPause = UnfinishedWork.FIRST_PAUSE;
    private Duration sessionExpiry = ControlPlaneSession.EXPIRY;
    private @Nullable ClusterIdentity cluster;
    private String controlPlane = "process " + ProcessHandle.current().pid();
    ValidationResult.Policy validation = ValidationResult.Policy.ALL_OR_NOTHING;
    Consumer<OperatorMessage> told = Messages::log;
    final List<ControllerEvent.Listener> listeners = new ArrayList<>();

    private Builder(PluginRegistry plugins, RecordStore store) {
      this.plugins = Objects.requireNonNull(plugins, "plugins");
      this.store = Objects.requireNonNull(store, "store");
    }

    /**
     * Sets how to find instances of plugins outside the registry, such as those on the nodes of a
     * cluster. The function is called for a plugin that has no instance in the registry: if its
     * instances show that the plugin has no controller, volumes are registered and claimed without
     * a call.
     *
     * @param value returns the instances of a plugin; an empty list if none are known
     */
    public Builder elsewhere(Function<PluginId, List<RegisteredPlugin>> value) {
      elsewhere = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Returns the instances that show whether a plugin has a controller. */
    PluginInstances instances() {
      return new PluginInstances(plugins, elsewhere);
    }

    /** Sets how to read the claims of volumes; without it, volumes have no holders. */
    public Builder claims(Function<VolumeKey, Optional<Claim>> value) {
      claims = Objects.requireNonNull(value, "value");
      knowsClaims = true;
      claimStore = null;
      return this;
    }

    /**
     * Sets the store of the claims. Deletions hold the claims of their volumes in it: no other
     * process can claim a volume between the last check of its claims and its deletion. If it is
     * the same object as the store of the catalog, and can write several records at once, the hold
     * is written together with the record of the volume.
     */
    public Builder claims(RecordStore value) {
      RecordValues<Claim> records = new RecordValues<>(value, new ClaimCodec());
      claims(
          key -> records.read(ClaimCodec.key(key)).value().or(() -> Optional.of(Claim.none(key))));
      claimStore = value;
      return this;
    }

    /** Returns the hold that deletions have on the claims of volumes. */
    DeletionHold hold() {
      return new DeletionHold(store, Optional.ofNullable(claimStore));
    }

    /** Sets how to get the secrets for a reference, at each call. By default, there are none. */
    public Builder secrets(Function<SecretsReference, SecretsProvider> value) {
      secrets = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets how controllers are called. */
    public Builder settings(ControllerSettings value) {
      settings = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the maximum time until a snapshot is ready. The default is one hour. */
    public Builder snapshotPatience(Duration value) {
      snapshotPatience = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the name of this control plane, which appears in messages of others that share the
     * store. The default is its process id.
     */
    public Builder controlPlane(String value) {
      controlPlane = Names.check("name of a control plane", value);
      return this;
    }

    /**
     * Sets the identity of the cluster whose catalog is expected in the store, as {@link
     * ClusterSetup#create} returned it. A store with the catalog of another cluster, without an
     * identity, or without any records is then not opened. By default, the catalog of any cluster
     * is opened, including one without an identity.
     */
    public Builder cluster(ClusterIdentity value) {
      cluster = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time that a session must be seen without a renewal before others may end it. */
    Builder sessionExpiry(Duration value) {
      sessionExpiry = value;
      return this;
    }

    /** Sets the longest first pause before unfinished work is retried; later pauses double. */
    Builder firstPause(Duration value) {
      firstPause = value;
      return this;
    }

    /**
     * Sets how much of the use of a volume a plugin must confirm before the volume is registered.
     * By default, all or nothing: some plugins never confirm, and a plugin that confirms only part
     * of the request does not support the rest. {@link ValidationResult.Policy#LENIENT} also
     * accepts such volumes.
     */
    public Builder validation(ValidationResult.Policy value) {
      validation = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the listener for messages to people that are not failures, such as the reason why a
     * plugin confirms nothing about a volume. Called within the operation that the message is
     * about; must neither block nor throw. By default, messages are logged.
     */
    public Builder told(Consumer<OperatorMessage> value) {
      told = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Adds a listener for operations and their calls. */
    public Builder listener(ControllerEvent.Listener value) {
      listeners.add(Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Opens the controller, and continues in the background the work that an earlier process has
     * begun.
     *
     * @throws ControllerException if the store cannot be read, {@link OperatorCode#CLUSTER_OTHER}
     *     if it does not have the catalog of the expected cluster, {@link
     *     OperatorCode#CLUSTER_COPIED} if the catalog is a copy that no person has accepted
     */
    public VolumeController open() {
      // Threads exist only while they are needed.
      OnDemandThreads threads = new OnDemandThreads(THREADS);
      RegistryControllers controllers = new RegistryControllers(instances(), settings, threads);
      try {
        return new VolumeController(
            this,
            controllers,
            new SystemClock(),
            threads,
            threads,
            () -> {
              threads.close();
              controllers.close();
            });
      } catch (RuntimeException | Error failed) {
        controllers.close();
        threads.close();
        throw failed;
      }
    }
  }

  /**
   * The requested page of a list.
   *
   * @param maxEntries the maximum number of entries; 0 to let the plugin choose
   * @param token the start of the page, as returned with the previous page; empty for the first
   *     page
   * @since 1.0
   */
  public record PageRequest(int maxEntries, Optional<String> token) {

    /** Rejects a negative number. */
    public PageRequest {
      Objects.requireNonNull(token, "token");
      if (maxEntries < 0) {
        throw new IllegalArgumentException(
            "The size of a page must not be negative: " + maxEntries + ".");
      }
    }

    /** Returns the first page, with the plugin's choice of size. */
    public static PageRequest first() {
      return new PageRequest(0, Optional.empty());
    }

    /** Returns the page after the one that returned this token. */
    public PageRequest after(String nextToken) {
      return new PageRequest(maxEntries, Optional.of(nextToken));
    }
  }
}
