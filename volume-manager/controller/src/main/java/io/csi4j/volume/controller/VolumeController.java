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
 * The volumes of storage systems, from any host: made, grown, cut into snapshots and deleted by the
 * controllers of their plugins. Remembers what it does before it is done, so that after a crash at
 * any moment no volume is lost, and none is made twice.
 *
 * <p>Methods block until their operation ends; {@link #async} does not. They fail with {@link
 * ControllerException}. One volume has one operation at a time; the others wait in order. Safe for
 * many threads.
 *
 * <p>Several controllers, in any processes, may share a store that several processes can open. Work
 * on a volume has one owner among them, and goes on with another one when its owner has ended. A
 * {@code LocalStore} has one controller at a time. Together they are a cluster, to which {@link
 * ClusterSetup} gives an identity.
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

  /** How many volumes of a batch are under way at a time. */
  private static final int AT_ONCE = 16;

  /** The number of volumes whose claims are read at a time. */
  private static final int PAGE = 500;

  /** The number of claims that are brought back in the background at a time. */
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

  /** Bounded, so that a storage system that hangs does not take a thread for each claim. */
  private final OnDemandThreads releases = new OnDemandThreads("csi4j-volume-release", RELEASES);

  private final Runnable ending;
  private final UpkeepTurn upkeep;
  private final RecordStore store;
  private final ControlPlaneSession session;

  /** The control plane that had the upkeep at the last request for it. */
  private final ConcurrentMap<String, String> upkeepOwners = new ConcurrentHashMap<>();

  /**
   * Opens a controller, and goes on with what an earlier life has begun.
   *
   * @param threads where operations run
   * @param ending ends what was made for this controller alone
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
   * A controller that is not opened yet.
   *
   * @param plugins whose controllers are called
   * @param store the store of the catalog, which stays open; claims may be in the same one
   */
  public static Builder builder(PluginRegistry plugins, RecordStore store) {
    return new Builder(plugins, store);
  }

  // ---- volumes

  /**
   * Makes a volume, or finds the one that was made under the same key. Until it is there, it may be
   * asked for in other places, as the first ones may have no room. What is made and is not as asked
   * for is deleted again.
   */
  public CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    return await(async.create(key, spec));
  }

  /**
   * Deletes a volume that was made here, unless it has a holder. One that is not on record counts
   * as deleted. One that the storage system refuses to delete is on record as before, unless it is
   * ephemeral, or a call for its deletion may have been made before: it stays to be deleted then.
   * If the storage system cannot be asked, the deletion stays on record, and goes on in the
   * background: the outcome is UNCERTAIN.
   */
  public void delete(VolumeKey key) {
    var unused = await(async.delete(key));
  }

  /**
   * Takes a volume on record that was there before, if its plugin agrees to how it is to be used.
   * The same again changes nothing. Another description of the volume changes its record, once the
   * plugin agrees: its mount options, ways of use, places, context and secrets. While workloads
   * hold the volume, only the reference to its secrets can be changed. Its size and mutable
   * parameters stay as they are on record.
   *
   * @param volume its origin has to be {@link CatalogVolume.Origin#REGISTERED}
   * @return the volume as it is on record then
   * @throws ControllerException {@link OperatorCode#VOLUME_REQUEST_REFUSED} if it has another
   *     origin; {@link OperatorCode#VOLUME_KNOWN_OTHERWISE} if another volume is on record under
   *     this key; {@link OperatorCode#VOLUME_CLAIMED} if a workload holds it
   */
  public CatalogVolume register(CatalogVolume volume) {
    return await(async.register(volume));
  }

  /**
   * Takes a volume on record that a cluster of csi4j has made and no record names any more, as
   * after its store was lost. It can be deleted here then, and is never reaped if the cluster is
   * another one. The same again changes nothing.
   *
   * @param cluster the cluster that has made it: this one, or a former one
   * @param volume its origin has to be {@link CatalogVolume.Origin#CREATED}, its id that of one of
   *     {@link #unknownVolumes}; without a context or a size it gets those that the plugin lists
   * @throws ControllerException {@link OperatorCode#VOLUME_REQUEST_REFUSED} if no such volume is
   *     listed
   */
  public CatalogVolume adopt(ClusterIdentity cluster, CatalogVolume volume) {
    return await(async.adopt(cluster, volume));
  }

  /**
   * Forgets a volume without holders, and leaves it where it is: also one that was made here. One
   * with a snapshot that nobody was told of is not forgotten, nor one that is claimed while it is
   * being forgotten. It is not attached for a claim that begins later.
   *
   * @return whether it was on record
   */
  public boolean deregister(VolumeKey key) {
    return await(async.deregister(key));
  }

  /**
   * Forgets a volume although workloads hold it or a snapshot of it is owed, and leaves both where
   * they are. Their claims stay, and have to be ended by a person: nothing attaches, detaches or
   * deletes the volume any more. Who decided it, why, and the holders are told as {@link
   * OperatorCode#VOLUME_FORGOTTEN}.
   *
   * @return whether it was on record
   */
  public boolean deregister(VolumeKey key, ClaimOverride.Person by, ReasonText reason) {
    return await(async.deregister(key, by, reason));
  }

  /**
   * Takes many volumes on record, {@value #AT_ONCE} at a time. One that fails, or is refused as it
   * is, keeps none of the others back.
   *
   * @return those that failed, each with why; empty if all are on record
   */
  public Map<VolumeKey, ControllerException> registerAll(Collection<CatalogVolume> all) {
    return failures(all, CatalogVolume::key, async::register);
  }

  /** Forgets many volumes without holders, as {@link #registerAll} takes them on record. */
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
   * Grows a volume, never shrinks it. What the node has to do about it stands in {@link
   * CatalogVolume#pendingOnNode} until {@link #nodeHasExpanded} is told. A size that the storage
   * system cannot give now is asked for again in the background, until another one takes its place:
   * a larger one, or a smaller one that is not below what the volume has.
   */
  public CatalogVolume expand(VolumeKey key, CapacityRange to) {
    return await(async.expand(key, to));
  }

  /**
   * Notes that the node has made the volume as large as it was told to; nothing, if the node owes
   * another size by now, which stays in {@link CatalogVolume#pendingOnNode}.
   *
   * @param to the size that the node was given, as {@link CatalogVolume#pendingOnNode} had it
   */
  public CatalogVolume nodeHasExpanded(VolumeKey key, CapacityRange to) {
    return await(async.nodeHasExpanded(key, to));
  }

  /**
   * Notes why a node cannot expand the filesystem of a volume, for {@link #changes}; nothing if
   * another size is pending by now, or a refusal of this size is on record. {@link
   * #nodeHasExpanded}, or another size, ends it.
   *
   * @param to the size that the node was given, as {@link CatalogVolume#pendingOnNode} had it
   * @param why the message of the failure on the node
   */
  public CatalogVolume nodeCannotExpand(VolumeKey key, CapacityRange to, OperatorMessage why) {
    return await(async.nodeCannotExpand(key, to, why));
  }

  /**
   * Returns the changes of size and parameters that were asked for and are not done: those that are
   * asked for again in the background, those that were refused, and what the node still has to do.
   * A refusal is kept until the same kind of change is asked for again, also across a restart. A
   * deletion that is not done is one of them. Reads the store of the catalog where its view of the
   * volumes is not up to date, and waits for that.
   */
  public List<VolumeChange> changes(VolumeKey key) {
    return unfinished.shown(key, changes.changes(key));
  }

  /**
   * Goes on at once with what was begun with a volume, also if it waits for a person: with its
   * deletion, or a change of size or parameters. What fails is tried again in the background,
   * unless it needs a person again. Does nothing to a volume with which nothing was begun.
   *
   * @throws ControllerException as the operation that was begun
   */
  public void resume(VolumeKey key) {
    var unused = await(async.resume(key));
  }

  /**
   * Gives up the changes of size and parameters that are asked for again in the background: nothing
   * more is asked for. What the storage system made of their last attempts is not known: parts of
   * the parameters may be in force, and the node is asked to follow the size. What was refused
   * stays in {@link #changes}. A deletion goes on until it is done; {@link #deregister} forgets its
   * volume.
   *
   * @return the changes that were given up, with what was seen at their last attempts
   */
  public List<VolumeChange> abandon(VolumeKey key) {
    return await(async.abandon(key));
  }

  /**
   * Changes parameters of a volume; those that are not named stay as they are. If it is not known
   * what came of it, the same is asked for again in the background, until it is known.
   */
  public CatalogVolume modify(VolumeKey key, Map<String, String> mutableParameters) {
    return await(async.modify(key, mutableParameters));
  }

  /**
   * Returns what the plugin says of a volume now: where it is attached, and whether it is well.
   * Other places than those on record, from where the volume can be reached, are taken on record,
   * as with each list and after a modification; {@link OperatorCode#VOLUME_TOPOLOGY_CHANGED} is
   * reported then. An answer without places changes nothing, and a volume that was registered keeps
   * the places of its description.
   */
  public VolumeEntry inspect(VolumeKey key) {
    return await(async.inspect(key));
  }

  /**
   * Finds out whether a volume exists that a node does not find: whether it is on record, then by
   * ControllerGetVolume or ListVolumes, where the plugin offers one, then by
   * ValidateVolumeCapabilities. It is gone only if one of them says so; a plugin that does not
   * answer, or does not say, leaves it {@linkplain VolumeVerdict.Unknown unknown}.
   *
   * @throws ControllerException if the store cannot be asked
   */
  public VolumeVerdict verdict(VolumeKey key) {
    return await(async.verdict(key));
  }

  /**
   * Returns all that the plugin says is wrong with a volume now, whatever version of CSI it speaks;
   * nothing if it does not say how the volume is. A plugin that offers neither GET_VOLUME_HEALTH
   * nor VOLUME_CONDITION with GET_VOLUME is not asked. For watching over many volumes there is
   * {@code HealthMonitor}.
   */
  @Experimental
  public Optional<VolumeHealthReport> health(VolumeKey key) {
    return await(async.health(key));
  }

  /** How much room there is for volumes like this one, in one place or anywhere. */
  public Capacity capacity(VolumeSpec spec, Optional<Topology> place) {
    return await(async.capacity(spec, place));
  }

  // ---- nodes

  /** Whether volumes of a plugin have to be attached to nodes; not if it has no controller. */
  public boolean attaches(PluginId plugin) {
    return await(async.attaches(plugin));
  }

  /**
   * Returns why a volume cannot be claimed now: it is not on record, not there yet, being deleted,
   * was not made to be used so, or has to be attached while no controller of its plugin can do
   * that. For a {@code ClaimBook} that is used without a coordinator ({@code ClaimBook.asking}).
   * Reads the record of the volume in the store of the catalog, and waits for that. The state of
   * the plugin on the node is not part of the answer.
   */
  public Optional<ClaimDecision.Refused> whyNotClaimed(ClaimRequest request) {
    return attachments().whyNot(request);
  }

  /** Returns the capabilities that the controllers of a plugin offer. */
  public Set<ControllerCapability> offered(PluginId plugin) {
    return await(async.offered(plugin));
  }

  // ---- what is on record

  /**
   * Returns the volume of this key, if it is there and not about to be deleted. Reads the store.
   *
   * @throws ControllerException if the store cannot be asked
   */
  public Optional<CatalogVolume> find(VolumeKey key) {
    return catalog.find(key).flatMap(CatalogEntry::volume);
  }

  /**
   * Returns the record of a volume. Reads the store.
   *
   * @throws ControllerException if the store cannot be asked
   */
  public Optional<CatalogEntry> record(VolumeKey key) {
    return catalog.find(key);
  }

  /**
   * Returns all volumes that are there and not about to be deleted, in the order of their keys.
   * What another control plane wrote a moment ago may be missing, here and in the other lists.
   */
  public List<CatalogVolume> volumes() {
    return catalog.volumes();
  }

  /**
   * One page of the volumes on record, in the order of their keys, with their claims and what was
   * asked for and is not done: also of those that are being created or deleted. Reads the claim of
   * each volume of the page. A claim or a record that cannot be read is shown as such, and hides no
   * other volume.
   *
   * @param wanted which volumes
   * @param page how many, and where to begin: at the first, or at what the page before said
   * @param plugins how each plugin is
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
   * Returns the volumes on record that no workload has used since a time, in the order of their
   * keys: advice for people, for nothing is deleted because of it. A volume whose last use is not
   * known is none of them, nor one whose claim cannot be read, nor an ephemeral one, which ends
   * with its use. Reads the claims of all volumes.
   *
   * @param before the time before which the last use of a volume has ended
   * @throws ControllerException {@link OperatorCode#CLAIM_STORE_DOWN} if the claims cannot be read,
   *     or the controller was opened without claims
   */
  public List<UnusedVolume> unused(Instant before) {
    if (!knowsClaims) {
      throw ControllerFailures.unavailable(
          OperatorCode.CLAIM_STORE_DOWN,
          Subject.of("looking for unused volumes"),
          "the controller was opened without claims, and does not know which volumes are used");
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

  /** Length first: a namespace may have any character. */
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
          "'" + token + "' is no place in this list");
    }
  }

  /**
   * Returns the volumes of one plugin, by its names for them. A name that more than one record has
   * is left out: an attachment of such a volume cannot be told to belong to one of the records.
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
   * volumes of which a snapshot may exist that was never reported to a caller. Such a snapshot
   * waits for {@link #createSnapshot} with the same name, or for {@link #dropSnapshot}; {@link
   * CatalogEntry#pendingSnapshots} names it.
   */
  public List<VolumeKey> pending() {
    return unfinished.owed();
  }

  /**
   * Returns the volumes with which this control plane does nothing more before a person has looked:
   * {@link #changes} says why, and {@link #resume} goes on with them. A volume that waits for a
   * store goes on without that, at most 30 s after a person has settled the store. Where several
   * control planes work, each finds that out with an attempt of its own, at most a minute after the
   * first. A volume is no longer returned once any of them has got further with it, as its record
   * shows.
   */
  public List<VolumeKey> held() {
    return unfinished.held();
  }

  /**
   * Deletes every {@linkplain #ephemeral ephemeral volume of this cluster} but these, also one that
   * an earlier life has only begun to make. To be told once after a start. {@value #AT_ONCE} are
   * under way at a time; what is claimed, or cannot be deleted now, stays on record.
   *
   * @return those that are still there
   */
  public Set<VolumeKey> retainEphemeral(Collection<VolumeKey> wanted) {
    List<VolumeKey> others = ephemeral().stream().filter(key -> !wanted.contains(key)).toList();
    return failures(others, Function.identity(), async::delete).keySet();
  }

  /**
   * Returns the ephemeral volumes that this cluster has made, in the order of their keys: also one
   * whose creation has only begun, and one that is being deleted. A volume on record whose name
   * does not carry the identity of the cluster is none of them: one of before the cluster had an
   * identity, and one that was adopted from another cluster, go by {@link #delete} alone.
   */
  public List<VolumeKey> ephemeral() {
    return catalog.own().filter(each -> each.spec().ephemeral()).map(CatalogEntry::key).toList();
  }

  /** Whether volumes are held in the store of claims while they are deleted. */
  boolean holdsWhatItDeletes() {
    return holdsWhatItDeletes;
  }

  /** Who holds volumes. */
  VolumeClaims claims() {
    return claims;
  }

  // ---- snapshots

  /**
   * Cuts a snapshot, and waits until it is ready; or finds the one of this name. An interrupt ends
   * the waiting alone: {@link #dropSnapshot} gives the snapshot up.
   */
  public Snapshot createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return await(async.createSnapshot(volume, name, parameters));
  }

  /**
   * Cuts a snapshot that can be used from some place, and waits until it is ready; or finds the one
   * of this name. {@link Snapshot#accessibleTopology} says from where it can be used.
   *
   * @param usableFrom from where it has to be usable
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
   * Deletes a snapshot, or a group of them, that was asked for and whose fate is not known, as
   * after a crash or an interrupt. It is not asked for again: a caller that still waits for it is
   * told {@link OperatorCode#SNAPSHOT_UNKNOWN}. Its name is not used again: a deletion that is late
   * may delete another snapshot of that name.
   *
   * @param volume the volume, or one of the group's
   * @return whether one was asked for under this name; false also if the volume is not on record
   */
  public boolean dropSnapshot(VolumeKey volume, SnapshotName name) {
    return await(async.dropSnapshot(volume, name));
  }

  /** Deletes a snapshot that belongs to no group. One that is gone counts as deleted. */
  public void deleteSnapshot(
      PluginId plugin, Snapshot snapshot, Optional<SecretsReference> secrets) {
    var unused = await(async.deleteSnapshot(plugin, snapshot, secrets));
  }

  /**
   * Deletes a snapshot of which only the id is left: a plugin refuses one that belongs to a group.
   */
  public void deleteSnapshot(
      PluginId plugin, SnapshotId snapshot, Optional<SecretsReference> secrets) {
    var unused = await(async.deleteSnapshot(plugin, snapshot, secrets));
  }

  /**
   * Cuts snapshots of several volumes of one plugin at one moment, and waits until all are ready;
   * with the secrets of the first of them.
   */
  public VolumeGroupSnapshot createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return await(async.createGroupSnapshot(volumes, name, parameters));
  }

  /** Deletes a group with all its snapshots. One that is gone counts as deleted. */
  public void deleteGroupSnapshot(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    var unused = await(async.deleteGroupSnapshot(plugin, group, members, secrets));
  }

  // ---- lists

  /**
   * Lists the volumes of the storage system, read as far as it is iterated. May name volumes that
   * are not known here; one that is missing proves nothing.
   */
  public Listing<VolumeEntry> list(PluginId plugin) {
    return reads.volumes(plugin);
  }

  /**
   * Lists the volumes of the storage system that a cluster has made and no record here names: those
   * whose id or context has a name with its identity. Nothing is changed, and no volume is ever
   * deleted because of it: each can be {@linkplain #adopt adopted} by a person. A volume of a
   * plugin that shows the name neither in the id nor in the context is not found.
   *
   * @param cluster this cluster, or a former one whose store was lost
   */
  public List<VolumeEntry> unknownVolumes(PluginId plugin, ClusterIdentity cluster) {
    return reads.unknown(plugin, cluster);
  }

  /**
   * One page of {@link #list(PluginId)}.
   *
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#LISTING_TOKEN_EXPIRED} if
   *     the plugin does not know the token any more
   */
  public Page<VolumeEntry> list(PluginId plugin, PageRequest page) {
    return await(async.list(plugin, page));
  }

  /**
   * Lists how the volumes of the storage system are, read as far as it is iterated, whatever
   * version of CSI the plugin speaks. With LIST_VOLUME_HEALTH it has the volumes that are not well,
   * and perhaps some that are; otherwise, with VOLUME_CONDITION, all of which the plugin says how
   * they are. May name volumes that are not known here. As a list is no picture of one moment, one
   * that is missing once may still not be well.
   *
   * @param secrets where the secrets of the list are; they are asked for at each reading
   */
  @Experimental
  public Listing<VolumeHealthReport> listHealth(
      PluginId plugin, Optional<SecretsReference> secrets) {
    return reads.health(plugin, () -> secrets);
  }

  /**
   * The same, with the secrets of the plugin's volumes on record, if all of them have the same; and
   * with none otherwise.
   */
  @Experimental
  public Listing<VolumeHealthReport> listHealth(PluginId plugin) {
    return reads.health(plugin, () -> reads.commonSecrets(plugin));
  }

  /** The snapshots that the storage system says it has; secrets are asked for at each reading. */
  public Listing<Snapshot> listSnapshots(PluginId plugin, Optional<SecretsReference> secrets) {
    return reads.snapshots(plugin, secrets);
  }

  /**
   * Returns what attaches the volumes on record to nodes, and detaches them: for a {@link
   * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which knows when that may be done.
   */
  public StorageController attachments() {
    return new CatalogAttachments(catalog, controllers, calls, instances, reports);
  }

  /**
   * Returns snapshots for backups: cut in a moment, so that an application can go on, and ready
   * later; and the blocks that changed between two.
   */
  public SnapshotBackups backups() {
    return new SnapshotBackups(
        catalog, snapshots, new MetadataStreams(controllers, calls, reads.policy()), runner);
  }

  /**
   * Takes a chore of the upkeep, unless another control plane that shares the store has it: work
   * that one of them does at a time, such as that of a {@code VolumeKeeper}. This one has the chore
   * until {@link #leaveUpkeep} or until it is closed; if it ends without that, another one takes
   * the chore 30 to 60 s later. Two may have it for a moment, which does no harm. A control plane
   * of an earlier version has all chores or none.
   *
   * @param chore its name, the same in all control planes
   * @return the name of the control plane that has it; nothing if it is this one
   * @throws ControllerException if the store cannot be asked, or this controller is closed
   */
  public Optional<String> takeUpkeep(String chore) {
    Names.check("name of a chore", chore);
    Optional<String> other = Catalog.asked(UpkeepTurn.TAKING, () -> upkeep.take(chore));
    upkeepOwners.put(chore, other.orElseGet(session::controlPlane));
    return other;
  }

  /**
   * Leaves a chore of the upkeep to the other control planes: the next one that asks takes it. If
   * the store cannot be written, they take it once this one is closed. A chore that this control
   * plane does not have stays as it is.
   */
  public void leaveUpkeep(String chore) {
    upkeepOwners.remove(chore, session.controlPlane());
    upkeep.leave(chore);
  }

  // ---- what it is doing

  /**
   * Returns the state of this control plane, for gauges and health checks. Asks no store and no
   * plugin, and waits for neither.
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
   * Returns what is pending on a volume, why, and what comes next. Reads the store; calls no
   * plugin.
   *
   * @throws ControllerException if the store cannot be asked
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
   * Writes a report for a bug into one new ZIP archive, which only its owner may read: the state of
   * this control plane, the plugins and their health, the nodes of the cluster, the volumes, what
   * is pending and why, and the versions. Reads the store; calls no plugin. It has no secrets,
   * contexts, mount flags and values of parameters; it has names of volumes, plugins and paths, and
   * the texts of plugins as listeners receive them.
   *
   * @param archive the archive, where nothing may be yet
   * @throws ControllerException if something is there, which is left as it is, if the archive
   *     cannot be written, or if the store cannot be asked; then nothing is left of the archive
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

  /** Works on a claim that is on its way back, while no caller has to wait. */
  <T> CompletableFuture<T> inBackground(Subject subject, Supplier<T> work) {
    try {
      return CompletableFuture.supplyAsync(work, releases);
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      return CompletableFuture.failedFuture(
          ControllerFailures.noThread(subject, "the controller is closed", refused));
    }
  }

  /** Returns the operations that do not block. */
  public AsyncVolumeController async() {
    return async;
  }

  /**
   * Takes no more operations and ends the connections. What is open then is on record, and goes on
   * with the next start. Doing it twice is harmless.
   */
  @Override
  public void close() {
    unfinished.close();
    upkeep.close();
    releases.close();
    ending.run();
    catalog.close();
  }

  /** Collects what a controller is opened with. */
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
     * Sets how instances of a plugin are found that the registry does not have, such as those on
     * the nodes of a cluster. Asked for a plugin of which the registry has no instance: if these
     * say that it has no controller, its volumes are registered and claimed without a call.
     *
     * @param value returns the instances of a plugin; an empty list if none is known
     */
    public Builder elsewhere(Function<PluginId, List<RegisteredPlugin>> value) {
      elsewhere = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Returns the instances that say whether a plugin has a controller. */
    PluginInstances instances() {
      return new PluginInstances(plugins, elsewhere);
    }

    /** Sets who knows the claims of volumes: without it, volumes have no holders. */
    public Builder claims(Function<VolumeKey, Optional<Claim>> value) {
      claims = Objects.requireNonNull(value, "value");
      knowsClaims = true;
      claimStore = null;
      return this;
    }

    /**
     * Sets the store that knows the claims of volumes. Volumes are held in it while they are
     * deleted: no other process can claim one between the last look at its claims and its deletion.
     * If it is the store of the catalog, the same object, and writes several records at once, the
     * hold is written together with the record of the volume.
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

    /** How long a snapshot may take until it is ready. An hour by default. */
    public Builder snapshotPatience(Duration value) {
      snapshotPatience = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the name of this control plane, for messages of others that share the store. The number
     * of its process by default.
     */
    public Builder controlPlane(String value) {
      controlPlane = Names.check("name of a control plane", value);
      return this;
    }

    /**
     * Sets the cluster whose catalog is expected in the store: one that {@link ClusterSetup#create}
     * has made. The catalog of another cluster, an empty store and one without an identity are not
     * opened. Without it, a catalog of any cluster is, also one without an identity.
     */
    public Builder cluster(ClusterIdentity value) {
      cluster = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets how long a session has to be seen without a renewal before others may end it. */
    Builder sessionExpiry(Duration value) {
      sessionExpiry = value;
      return this;
    }

    /** Sets the longest pause before what is not at its end is tried again; it doubles. */
    Builder firstPause(Duration value) {
      firstPause = value;
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

    /** Adds a listener for operations and their calls. */
    public Builder listener(ControllerEvent.Listener value) {
      listeners.add(Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Opens it, and goes on in the background with what an earlier life has begun.
     *
     * @throws ControllerException if the store cannot be read, {@link OperatorCode#CLUSTER_OTHER}
     *     if it does not have the catalog of the cluster that is expected, {@link
     *     OperatorCode#CLUSTER_COPIED} if the catalog is a copy that nobody has accepted
     */
    public VolumeController open() {
      // Threads are there only while needed.
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
   * Which page of a list is wanted.
   *
   * @param maxEntries how many entries it may have; 0 for as many as the plugin likes
   * @param token where it begins, as the page before said; nothing for the first
   * @since 1.0
   */
  public record PageRequest(int maxEntries, Optional<String> token) {

    /** Refuses a negative number. */
    public PageRequest {
      Objects.requireNonNull(token, "token");
      if (maxEntries < 0) {
        throw new IllegalArgumentException(
            "A page has no fewer than no entries: " + maxEntries + ".");
      }
    }

    /** The first page of the plugin's own size. */
    public static PageRequest first() {
      return new PageRequest(0, Optional.empty());
    }

    /** The page behind the one that gave this token. */
    public PageRequest after(String nextToken) {
      return new PageRequest(maxEntries, Optional.of(nextToken));
    }
  }
}
