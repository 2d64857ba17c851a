package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerListVolumeHealthRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.controller.VolumePage;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.PluginView;
import io.csi4j.volume.catalog.RequestedTopologies;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.controller.ControllerException.Outcome;
import io.csi4j.volume.internal.condition.Conditions;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

  private final Catalog catalog;
  private final Controllers controllers;
  private final PluginRegistry registry;
  private final UnaryOperator<CallPolicy.Builder> policy;
  private final ControllerCalls calls;
  private final VolumeOperations volumes;
  private final SnapshotCreation snapshots;
  private final UnfinishedWork unfinished;
  private final Consumer<OperatorMessage> told;
  private final Function<VolumeKey, Optional<Claim>> claims;
  private final boolean holdsWhatItDeletes;
  private final OperationTurns<VolumeKey> turns;
  private final OperationReports reports;
  private final Executor threads;
  private final Runnable ending;

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
    reports = new OperationReports(options.listeners, clock);
    this.controllers = reports.isOn() ? new ReportedControllers(controllers, reports) : controllers;
    this.threads = threads;
    this.ending = ending;
    registry = options.plugins;
    policy = options.settings.policy();
    told = options.told;
    claims = options.claims;
    holdsWhatItDeletes = options.claimStore != null;
    catalog = new Catalog(options.store);
    turns =
        new OperationTurns<>(options.settings.waiters(), options.settings.longestWait(), timers);
    calls = new ControllerCalls(options.secrets);
    volumes = new VolumeOperations(catalog, this.controllers, calls, clock, options);
    snapshots =
        new SnapshotCreation(
            catalog,
            this.controllers,
            calls,
            clock,
            timers,
            new OperationTurns<>(
                options.settings.waiters(), options.settings.longestWait(), timers),
            options.snapshotPatience);
    unfinished =
        new UnfinishedWork(catalog, timers, options.firstPause, key -> retrying(key).end(), told);
    unfinished.later();
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
   * Makes a volume, or finds the one that was made under the same key. Until it is there, it may be
   * asked for in other places, as the first ones may have no room. What is made and is not as asked
   * for is deleted again.
   */
  public CatalogVolume create(VolumeKey key, VolumeSpec spec) {
    return await(creating(key, spec));
  }

  /**
   * Deletes a volume that was made here, unless it has a holder. One that is not on record counts
   * as deleted; one that the storage system does not let go stays as it is, unless it is ephemeral.
   */
  public void delete(VolumeKey key) {
    await(deleting(key));
  }

  /**
   * Takes a volume on record that was there before, if its plugin agrees to how it is to be used.
   * The same again changes nothing.
   *
   * @param volume its origin has to be {@link CatalogVolume.Origin#REGISTERED}
   * @throws ControllerException {@link OperatorCode#VOLUME_REQUEST_REFUSED} if it is another one
   */
  public CatalogVolume register(CatalogVolume volume) {
    return await(registering(volume));
  }

  /**
   * Forgets a volume without holders, and leaves it where it is: also one that was made here. One
   * with a snapshot that nobody was told of is not forgotten, nor one that is claimed while it is
   * being forgotten. It is not attached for a claim that begins later.
   *
   * @return whether it was on record
   */
  public boolean deregister(VolumeKey key) {
    return await(forgetting(key));
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
    return await(
        begun(Operation.DEREGISTER, "forgetting", key, () -> volumes.forget(key, by, reason)));
  }

  /**
   * Takes many volumes on record, {@value #AT_ONCE} at a time. One that fails, or is refused as it
   * is, keeps none of the others back.
   *
   * @return those that failed, each with why; empty if all are on record
   */
  public Map<VolumeKey, ControllerException> registerAll(Collection<CatalogVolume> all) {
    return failures(all, CatalogVolume::key, this::registering);
  }

  /** Forgets many volumes without holders, as {@link #registerAll} takes them on record. */
  public Map<VolumeKey, ControllerException> deregisterAll(Collection<VolumeKey> all) {
    return failures(all, Function.identity(), this::forgetting);
  }

  private static <T, R> Map<VolumeKey, ControllerException> failures(
      Collection<T> all, Function<T, VolumeKey> key, Function<T, Begun<R>> begin) {
    Map<VolumeKey, ControllerException> failed = new TreeMap<>();
    Deque<Runnable> inFlight = new ArrayDeque<>();
    for (T each : List.copyOf(all)) {
      if (inFlight.size() == AT_ONCE) {
        inFlight.remove().run();
      }
      Begun<R> begun = begin.apply(each);
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
    return await(expanding(key, to));
  }

  /**
   * Notes that the node has made the volume as large as it is by now. Where the volume may have
   * grown further meanwhile, {@link #nodeHasExpanded(VolumeKey, CapacityRange)} is the right one.
   */
  public CatalogVolume nodeHasExpanded(VolumeKey key) {
    return await(
        begun(Operation.EXPAND, "expanding", key, () -> volumes.settled(key, owed -> true)));
  }

  /**
   * Notes that the node has made the volume as large as it was told to; nothing, if the node owes
   * another size by now, which stays in {@link CatalogVolume#pendingOnNode}.
   *
   * @param to the size that the node was given, as {@link CatalogVolume#pendingOnNode} had it
   */
  public CatalogVolume nodeHasExpanded(VolumeKey key, CapacityRange to) {
    return await(begun(Operation.EXPAND, "expanding", key, () -> volumes.settled(key, to::equals)));
  }

  /**
   * Notes why the node cannot make the volume as large as it is, for {@link #changes}; nothing, if
   * the node owes nothing. {@link #nodeHasExpanded(VolumeKey)}, or another size, ends it.
   *
   * @param why the message of the failure on the node
   */
  public CatalogVolume nodeCannotExpand(VolumeKey key, OperatorMessage why) {
    return await(
        begun(
            Operation.EXPAND,
            "expanding",
            key,
            () -> volumes.refusedByNode(key, owed -> true, why)));
  }

  /**
   * Notes why the node cannot make the volume as large as it was told to; nothing, if the node owes
   * another size by now.
   *
   * @param to the size that the node was given, as {@link CatalogVolume#pendingOnNode} had it
   * @param why the message of the failure on the node
   */
  public CatalogVolume nodeCannotExpand(VolumeKey key, CapacityRange to, OperatorMessage why) {
    return await(
        begun(
            Operation.EXPAND, "expanding", key, () -> volumes.refusedByNode(key, to::equals, why)));
  }

  /**
   * Returns the changes of size and parameters that were asked for and are not done: those that are
   * asked for again in the background, those that were refused, and what the node still has to do.
   * A refusal is kept until the same kind of change is asked for again, also across a restart. A
   * deletion that is not done is one of them. Does not block.
   */
  public List<VolumeChange> changes(VolumeKey key) {
    return unfinished.shown(key, volumes.changes(key));
  }

  /**
   * Goes on at once with what was begun with a volume, also if it waits for a person: with its
   * deletion, or a change of size or parameters. What fails is tried again in the background,
   * unless it needs a person again. Does nothing to a volume with which nothing was begun.
   *
   * @throws ControllerException as the operation that was begun
   */
  public void resume(VolumeKey key) {
    var unused = await(begun(Operation.RESUME, "going on with", key, () -> volumes.goOn(key)));
  }

  /**
   * Changes parameters of a volume; those that are not named stay as they are. If it is not known
   * what came of it, the same is asked for again in the background, until it is known.
   */
  public CatalogVolume modify(VolumeKey key, Map<String, String> mutableParameters) {
    return await(modifying(key, mutableParameters));
  }

  /** Returns what the plugin says of a volume now: where it is attached, and whether it is well. */
  public VolumeEntry inspect(VolumeKey key) {
    return await(inspecting(key));
  }

  /**
   * Returns all that the plugin says is wrong with a volume now, whatever version of CSI it speaks;
   * nothing if it does not say how the volume is. A plugin that offers neither GET_VOLUME_HEALTH
   * nor VOLUME_CONDITION with GET_VOLUME is not asked. For watching over many volumes there is
   * {@code HealthMonitor}.
   */
  @Experimental
  public Optional<VolumeHealthReport> health(VolumeKey key) {
    return await(readingHealth(key));
  }

  /** How much room there is for volumes like this one, in one place or anywhere. */
  public Capacity capacity(VolumeSpec spec, Optional<Topology> place) {
    return await(reading(spec, place));
  }

  // ---- nodes

  /** Whether volumes of a plugin have to be attached to nodes; not if it has no controller. */
  public boolean attaches(PluginId plugin) {
    return await(asking(plugin));
  }

  /**
   * Why a volume cannot be claimed now: it is not on record, not there yet, being deleted, was not
   * made to be used so, or has to be attached while no controller of its plugin can do that. For a
   * {@code ClaimBook} that no coordinator asks for ({@code ClaimBook.asking}); does not block. How
   * the plugin is on the node, only that node knows.
   */
  public Optional<ClaimDecision.Refused> whyNotClaimed(ClaimRequest request) {
    return attachments().whyNot(request);
  }

  /** Returns the capabilities that the controllers of a plugin offer. */
  public Set<ControllerCapability> offered(PluginId plugin) {
    return await(facts(plugin, "asking what the controllers of plugin '" + plugin + "' can do"))
        .controller()
        .offered();
  }

  private Begun<Boolean> asking(PluginId plugin) {
    Subject subject = Subject.of("asking whether plugin '" + plugin + "' attaches volumes");
    return new Begun<>(subject, controllers.attaches(plugin, subject));
  }

  private Begun<ControllerFacts> facts(PluginId plugin, String doing) {
    Subject subject = Subject.of(doing);
    return new Begun<>(subject, controllers.facts(plugin, subject));
  }

  // ---- what is on record

  /** The volume of this key, if it is there and not about to be deleted. */
  public Optional<CatalogVolume> find(VolumeKey key) {
    return catalog.find(key).flatMap(CatalogEntry::volume);
  }

  /** All that is remembered of a volume. */
  public Optional<CatalogEntry> record(VolumeKey key) {
    return catalog.find(key);
  }

  /** All volumes that are there and not about to be deleted, in the order of their keys. */
  public List<CatalogVolume> volumes() {
    return catalog.volumes();
  }

  /**
   * One page of the volumes that are there, or are being deleted, in the order of their keys, with
   * their claims and what was asked for and is not done. Reads the claim of each volume of the
   * page.
   *
   * @param plugin whose volumes; nothing for those of all plugins
   * @param namespace in which namespace; nothing for all
   * @param page how many, and where to begin: at the first, or at what the page before said
   * @param plugins how each plugin is
   * @throws ControllerException {@link OperatorCode#CLAIM_STORE_DOWN} if the claims cannot be read
   */
  public VolumeSummary.Page summaries(
      Optional<PluginId> plugin,
      Optional<Namespace> namespace,
      PageRequest page,
      Function<PluginId, PluginView> plugins) {
    Optional<VolumeKey> after = page.token().map(VolumeController::key);
    int most = page.maxEntries() == 0 ? Integer.MAX_VALUE : page.maxEntries();
    List<CatalogEntry> wanted =
        catalog.all().stream()
            .filter(VolumeSummary::isShown)
            .filter(each -> after.isEmpty() || each.key().compareTo(after.get()) > 0)
            .filter(each -> plugin.isEmpty() || each.spec().plugin().equals(plugin.get()))
            .filter(each -> namespace.isEmpty() || each.key().namespace().equals(namespace.get()))
            .limit(most + 1L)
            .toList();
    List<CatalogEntry> shown = wanted.subList(0, Math.min(most, wanted.size()));
    Map<PluginId, PluginView> views = new HashMap<>();
    return new VolumeSummary.Page(
        shown.stream()
            .map(
                each ->
                    VolumeSummary.of(
                        each,
                        changes(each.key()),
                        volumes.claim(each.key()),
                        views.computeIfAbsent(each.spec().plugin(), plugins)))
            .toList(),
        shown.size() == wanted.size()
            ? Optional.empty()
            : Optional.of(token(shown.get(shown.size() - 1).key())));
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
    Map<VolumeId, VolumeKey> keys = new HashMap<>();
    Set<VolumeId> all = new HashSet<>();
    Set<VolumeId> shared = new HashSet<>();
    for (CatalogEntry record : catalog.all()) {
      Optional<VolumeId> id = record.id().filter(any -> record.spec().plugin().equals(plugin));
      if (id.isPresent() && !all.add(id.get())) {
        shared.add(id.get());
      }
      record
          .volume()
          .filter(volume -> id.isPresent())
          .ifPresent(volume -> keys.put(volume.id(), volume.key()));
    }
    keys.keySet().removeAll(shared);
    return Map.copyOf(keys);
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
   * Those with which nothing more is done before a person has looked: {@link #changes} says why,
   * and {@link #resume} goes on with them.
   */
  public List<VolumeKey> held() {
    return unfinished.held();
  }

  /**
   * Deletes every ephemeral volume but these, also one that an earlier life has only begun to make.
   * To be told once after a start. What is claimed, or cannot be deleted now, stays on record.
   *
   * @return those that are still there
   */
  public Set<VolumeKey> retainEphemeral(Collection<VolumeKey> wanted) {
    Map<VolumeKey, Begun<Done>> deletions =
        catalog.all().stream()
            .filter(each -> each.spec().ephemeral() && !wanted.contains(each.key()))
            .collect(Collectors.toUnmodifiableMap(CatalogEntry::key, each -> deleting(each.key())));
    return deletions.entrySet().stream()
        .filter(entry -> !isDone(entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean isDone(Begun<Done> deletion) {
    try {
      return await(deletion) == Done.DONE;
    } catch (ControllerException left) {
      return false;
    }
  }

  /**
   * Every ephemeral volume on record, in the order of their keys: also one that was only begun to
   * be made, and one that is being deleted.
   */
  public List<VolumeKey> ephemeral() {
    return catalog.all().stream()
        .filter(each -> each.spec().ephemeral())
        .map(CatalogEntry::key)
        .toList();
  }

  /** Whether volumes are held in the store of claims while they are deleted. */
  boolean holdsWhatItDeletes() {
    return holdsWhatItDeletes;
  }

  /** Whether anybody has a claim of a volume; also if nobody can say. */
  boolean mayBeClaimed(VolumeKey key) {
    try {
      return claims.apply(key).filter(it -> !VolumeOperations.claimants(it).isEmpty()).isPresent();
    } catch (RuntimeException nobodyCanSay) {
      return true;
    }
  }

  /** Whether the store of claims knows a claim of this epoch, or a later one; or nobody can say. */
  boolean mayKnow(VolumeKey key, long epoch) {
    try {
      return claims.apply(key).filter(it -> it.epoch() >= epoch).isPresent();
    } catch (RuntimeException nobodyCanSay) {
      return true;
    }
  }

  // ---- snapshots

  /**
   * Cuts a snapshot, and waits until it is ready; or finds the one of this name. An interrupt ends
   * the waiting alone: {@link #dropSnapshot} gives the snapshot up.
   */
  public Snapshot createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return await(cutting(volume, name, parameters, Optional.empty()));
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
    return await(cutting(volume, name, parameters, Optional.of(usableFrom)));
  }

  /**
   * Deletes a snapshot, or a group of them, that was asked for and whose fate is not known, as
   * after a crash or an interrupt. It is not asked for again: a caller that still waits for it is
   * told {@link OperatorCode#SNAPSHOT_UNKNOWN}.
   *
   * @param volume the volume, or one of the group's
   * @return whether one was asked for under this name
   */
  public boolean dropSnapshot(VolumeKey volume, SnapshotName name) {
    String doing = "dropping a snapshot of";
    return await(
        begun(
            Operation.DELETE_SNAPSHOT,
            Optional.of(volume),
            List.of(),
            doing + " volume '" + volume + "'",
            () -> snapshots.drop(volumes.there(volume, doing), name)));
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
    await(
        begun(
            Operation.DELETE_SNAPSHOT,
            Optional.empty(),
            List.of(),
            "deleting snapshot '" + snapshot + "'",
            () -> {
              if (group.isPresent()) {
                throw ControllerFailures.refused(
                    OperatorCode.SNAPSHOT_IN_GROUP,
                    ControllerCalls.about("deleting snapshot", snapshot.value(), plugin),
                    "it belongs to group '" + group.get() + "'");
              }
              return controllers.answer(calls.delete(plugin, snapshot, secrets));
            }));
  }

  /**
   * Cuts snapshots of several volumes of one plugin at one moment, and waits until all are ready;
   * with the secrets of the first of them.
   */
  public VolumeGroupSnapshot createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return await(cutting(volumes, name, parameters));
  }

  /** Deletes a group with all its snapshots. One that is gone counts as deleted. */
  public void deleteGroupSnapshot(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    List<SnapshotId> all = List.copyOf(members);
    await(
        begun(
            Operation.DELETE_GROUP_SNAPSHOT,
            Optional.empty(),
            List.of(),
            "deleting group snapshot '" + group + "'",
            () -> controllers.answer(calls.delete(plugin, group, all, secrets))));
  }

  // ---- lists

  /**
   * Lists the volumes of the storage system, read as far as it is iterated. May name volumes that
   * are not known here; one that is missing proves nothing.
   */
  public Listing<VolumeEntry> list(PluginId plugin) {
    return listing(plugin, "volumes", ControllerService::volumes);
  }

  /**
   * One page of the same.
   *
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#LISTING_TOKEN_EXPIRED} if
   *     the plugin does not know the token any more
   */
  public VolumePage list(PluginId plugin, PageRequest page) {
    Subject subject = ofList(plugin, "volumes");
    ListVolumesRequest.Builder request = ListVolumesRequest.builder().maxEntries(page.maxEntries());
    page.token().ifPresent(request::startingToken);
    ControllerService connected = connected(plugin, subject);
    return told(subject, () -> connected.listVolumes(request.build()));
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
    Subject subject = ofList(plugin, "health of the volumes");
    return () -> {
      ControllerFacts facts = await(new Begun<>(subject, controllers.facts(plugin, subject)));
      if (!facts.offers(ControllerCapability.LIST_VOLUME_HEALTH)
          && facts.offers(ControllerCapability.VOLUME_CONDITION)) {
        return Conditions.reports(list(plugin)).iterator();
      }
      return this.<VolumeHealthReport>listing(
              plugin,
              "health of the volumes",
              it ->
                  it.volumeHealth(
                      ControllerListVolumeHealthRequest.builder()
                          .secrets(
                              secrets(
                                  plugin,
                                  secrets,
                                  CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH,
                                  subject))
                          .build()))
          .iterator();
    };
  }

  /**
   * The same, with the secrets of the plugin's volumes on record, if all of them have the same; and
   * with none otherwise.
   */
  @Experimental
  public Listing<VolumeHealthReport> listHealth(PluginId plugin) {
    return () -> {
      Set<Optional<SecretsReference>> secrets =
          volumes().stream()
              .filter(volume -> volume.plugin().equals(plugin))
              .map(volume -> volume.spec().secrets())
              .collect(Collectors.toSet());
      return listHealth(plugin, secrets.size() == 1 ? secrets.iterator().next() : Optional.empty())
          .iterator();
    };
  }

  private Secrets secrets(
      PluginId plugin,
      Optional<SecretsReference> reference,
      CsiOperation operation,
      Subject subject) {
    return await(
        new Begun<>(
            subject, controllers.secrets(plugin, calls.secretsOf(reference), operation, subject)));
  }

  /** The snapshots that the storage system says it has; secrets are asked for at each reading. */
  public Listing<Snapshot> listSnapshots(PluginId plugin, Optional<SecretsReference> secrets) {
    return listing(
        plugin,
        "snapshots",
        it ->
            it.snapshots(
                ListSnapshotsRequest.builder()
                    .secrets(
                        secrets(
                            plugin,
                            secrets,
                            CsiOperation.LIST_SNAPSHOTS,
                            ofList(plugin, "snapshots")))
                    .build()));
  }

  private <T> Listing<T> listing(
      PluginId plugin, String what, Function<ControllerService, Listing<T>> begin) {
    Subject subject = ofList(plugin, what);
    return () -> {
      Iterator<T> all = begin.apply(connected(plugin, subject)).iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return told(subject, all::hasNext);
        }

        @Override
        public T next() {
          return told(subject, all::next);
        }
      };
    };
  }

  /** The controller service of a plugin, with the patience that the settings say. */
  private ControllerService connected(PluginId plugin, Subject subject) {
    return await(new Begun<>(subject, controllers.connected(plugin, subject)))
        .controller()
        .with(policy);
  }

  private static Subject ofList(PluginId plugin, String what) {
    return Subject.of("listing the " + what + " of plugin '" + plugin + "'");
  }

  private static <T> T told(Subject subject, Supplier<T> step) {
    try {
      return step.get();
    } catch (CsiException failed) {
      throw typed(subject, failed);
    }
  }

  private static ControllerException typed(Subject subject, CsiException failed) {
    if (failed.code() == StatusCode.ABORTED) {
      return ControllerFailures.failed(
          Outcome.REFUSED, OperatorCode.LISTING_TOKEN_EXPIRED, subject, "", failed);
    }
    if (failed instanceof CsiAnswerException answer
        && answer.violations().stream().anyMatch(each -> each.rule() == Rule.ENDLESS)) {
      return new ControllerException(
          Outcome.REFUSED,
          Messages.of(
              OperatorCode.LISTING_ENDLESS, subject, ControllerFailures.text(answer.violations())),
          answer.violations(),
          answer);
    }
    return ControllerFailures.of(subject, failed);
  }

  /**
   * Returns what attaches the volumes on record to nodes, and detaches them: for a {@link
   * io.csi4j.volume.claim.coordination.ClaimCoordinator}, which knows when that may be done.
   */
  public StorageController attachments() {
    return new CatalogAttachments(catalog, controllers, calls, registry, reports);
  }

  /**
   * Returns snapshots for backups: cut in a moment, so that an application can go on, and ready
   * later; and the blocks that changed between two.
   */
  public SnapshotBackups backups() {
    return new SnapshotBackups(
        catalog, snapshots, new MetadataStreams(controllers, calls, policy), new Turned());
  }

  /** Returns the operations that do not block. */
  public AsyncVolumeController async() {
    return new Handed();
  }

  /**
   * Takes no more operations and ends the connections. What is open then is on record, and goes on
   * with the next start. Doing it twice is harmless.
   */
  @Override
  public void close() {
    unfinished.close();
    ending.run();
  }

  // ---- operations, each on a thread of its own once it is its turn

  /**
   * An operation that has begun, or waits for its turn.
   *
   * @param subject what it is about, for messages
   * @param end completes when it has ended
   */
  private record Begun<T>(Subject subject, CompletableFuture<T> end) {}

  private Begun<CatalogVolume> creating(VolumeKey key, VolumeSpec spec) {
    return begun(Operation.CREATE, "creating", key, () -> volumes.create(key, spec));
  }

  private Begun<Done> deleting(VolumeKey key) {
    return begun(Operation.DELETE, "deleting", key, () -> volumes.delete(key));
  }

  private Begun<CatalogVolume> registering(CatalogVolume volume) {
    return begun(Operation.REGISTER, "registering", volume.key(), () -> volumes.register(volume));
  }

  private Begun<Boolean> forgetting(VolumeKey key) {
    return begun(Operation.DEREGISTER, "forgetting", key, () -> volumes.deregister(key));
  }

  private Begun<CatalogVolume> expanding(VolumeKey key, CapacityRange to) {
    return begun(Operation.EXPAND, "expanding", key, () -> volumes.expand(key, to));
  }

  private Begun<CatalogVolume> modifying(VolumeKey key, Map<String, String> changes) {
    return begun(Operation.MODIFY, "modifying", key, () -> volumes.modify(key, changes));
  }

  private Begun<Done> retrying(VolumeKey key) {
    return begun(
        Operation.RESUME,
        Optional.of(key),
        List.of(key),
        "going on with volume '" + key + "'",
        () -> volumes.goOn(key));
  }

  private Begun<Snapshot> cutting(
      VolumeKey key,
      SnapshotName name,
      Map<String, String> parameters,
      Optional<TopologyRequirement> usableFrom) {
    Optional<RequestedTopologies> places =
        usableFrom.map(
            asked ->
                new RequestedTopologies(new LinkedHashSet<>(asked.requisite()), asked.preferred()));
    String doing = "cutting a snapshot of";
    return begun(
        Operation.CREATE_SNAPSHOT,
        Optional.of(key),
        List.of(),
        doing + " volume '" + key + "'",
        () -> snapshots.create(volume(key, doing), name, parameters, places));
  }

  private Begun<VolumeGroupSnapshot> cutting(
      Set<VolumeKey> keys, SnapshotName name, Map<String, String> parameters) {
    String doing = "cutting group snapshot '" + name + "'";
    return begun(
        Operation.CREATE_GROUP_SNAPSHOT,
        Optional.empty(),
        List.of(),
        doing,
        () -> {
          List<CatalogVolume> all =
              keys.stream().sorted().map(key -> volume(key, "cutting a snapshot of")).toList();
          return snapshots.create(SnapshotCreation.ofOnePlugin(all, doing), name, parameters);
        });
  }

  private CatalogVolume volume(VolumeKey key, String doing) {
    return volumes.there(key, doing).volume().orElseThrow();
  }

  private Begun<VolumeEntry> inspecting(VolumeKey key) {
    return begun(
        Operation.INSPECT,
        Optional.of(key),
        List.of(),
        "reading volume '" + key + "'",
        () -> {
          CatalogVolume known = volume(key, "reading");
          VolumeEntry seen = controllers.answer(calls.inspect(known));
          tellOfOtherContext(known, seen.volume().context());
          return seen;
        });
  }

  /** No thread waits for the answer. */
  private Begun<Optional<VolumeHealthReport>> readingHealth(VolumeKey key) {
    Subject subject = Subject.of("reading the health of volume '" + key + "'");
    try {
      CatalogVolume known = volume(key, "reading the health of");
      return new Begun<>(
          subject,
          controllers
              .facts(known.plugin(), subject)
              .thenCompose(facts -> health(known, facts))
              .exceptionallyCompose(
                  thrown ->
                      CompletableFuture.failedFuture(ControllerFailures.of(subject, thrown))));
    } catch (ControllerException unknown) {
      return new Begun<>(subject, CompletableFuture.failedFuture(unknown));
    }
  }

  private CompletableFuture<Optional<VolumeHealthReport>> health(
      CatalogVolume volume, ControllerFacts facts) {
    // The one brings the other.
    if (facts.offers(ControllerCapability.GET_VOLUME_HEALTH)
        || facts.offers(ControllerCapability.LIST_VOLUME_HEALTH)) {
      return controllers.call(calls.health(volume)).thenApply(Optional::of);
    } else if (facts.offers(ControllerCapability.VOLUME_CONDITION)
        && facts.offers(ControllerCapability.GET_VOLUME)) {
      return controllers.call(calls.inspect(volume)).thenApply(Conditions::report);
    }
    return CompletableFuture.completedFuture(Optional.empty());
  }

  /** The context that a volume was made with stays in force, even if another is reported later. */
  private void tellOfOtherContext(CatalogVolume known, VolumeContext seen) {
    if (!seen.isEmpty() && !seen.equals(known.context())) {
      told.accept(
          Messages.of(
              OperatorCode.VOLUME_CONTEXT_CHANGED,
              Subject.of("reading", ControllerCalls.identity(known)),
              "it has " + seen + " now, and was made with " + known.context()));
    }
  }

  private Begun<Capacity> reading(VolumeSpec spec, Optional<Topology> place) {
    Subject subject = Subject.of("reading the capacity of plugin '" + spec.plugin() + "'");
    return new Begun<>(
        Subject.of("reading the capacity"),
        controllers
            .facts(spec.plugin(), subject)
            .thenCompose(facts -> controllers.call(ControllerCalls.capacity(spec, place, facts)))
            .exceptionallyCompose(
                thrown -> CompletableFuture.failedFuture(ControllerFailures.of(subject, thrown))));
  }

  /**
   * Begins one that changes the record of a volume. Once its work has ended, background work
   * continues what it has left undone: the caller may have stopped waiting long before.
   */
  private <T> Begun<T> begun(Operation kind, String doing, VolumeKey key, Supplier<T> work) {
    AtomicBoolean isAtWork = new AtomicBoolean();
    Begun<T> begun =
        begun(
            kind,
            Optional.of(key),
            List.of(key),
            doing + " volume '" + key + "'",
            () -> {
              isAtWork.set(true);
              return work.get();
            },
            failure -> unfinished.ended(key, failure));
    begun
        .end()
        .whenComplete(
            (value, thrown) -> {
              if (!isAtWork.get()) {
                // Work whose turn did not come ends with the waiting for it.
                unfinished.ended(key, Optional.empty());
              }
            });
    return begun;
  }

  /** Begins an operation after which nothing is left to do in the background. */
  private <T> Begun<T> begun(
      Operation kind,
      Optional<VolumeKey> volume,
      List<VolumeKey> keys,
      String doing,
      Supplier<T> work) {
    return begun(kind, volume, keys, doing, work, failure -> {});
  }

  /**
   * Begins an operation when no other runs for these volumes.
   *
   * @param volume the volume that listeners are shown
   * @param keys none for one that may take long, and whose calls alone have to wait for each other
   * @param ended told of the end of the work, and of its failure if it failed, also when no caller
   *     waits for it any more
   */
  private <T> Begun<T> begun(
      Operation kind,
      Optional<VolumeKey> volume,
      List<VolumeKey> keys,
      String doing,
      Supplier<T> work,
      Consumer<Optional<ControllerException>> ended) {
    Subject subject = Subject.of(doing);
    OperationId id = reports.asked();
    return new Begun<>(
        subject,
        turns.take(
            new TreeSet<>(keys),
            subject,
            (leave, result) -> {
              Consumer<Optional<ControllerException>> end =
                  failure -> {
                    leave.run();
                    ended.accept(failure);
                  };
              try {
                threads.execute(
                    () ->
                        run(subject, () -> reported(subject, id, kind, volume, work), end, result));
              } catch (RejectedExecutionException | OutOfMemoryError refused) {
                // It is closed, or this is how the JVM says that the machine gives no more threads.
                leave.run();
                result.completeExceptionally(ControllerFailures.noThread(subject, "", refused));
              }
            }));
  }

  /** Does the work of an operation between the reports of its beginning and its end. */
  private <T> T reported(
      Subject subject,
      OperationId id,
      Operation kind,
      Optional<VolumeKey> volume,
      Supplier<T> work) {
    OperationReports.Running running = reports.begin(id, kind, volume);
    Optional<OperatorMessage> failure = Optional.empty();
    try {
      return work.get();
    } catch (ControllerException failed) {
      failure = Optional.of(failed.operatorMessage());
      throw failed;
    } catch (RuntimeException | Error unexpected) {
      failure =
          Optional.of(
              Messages.of(OperatorCode.STEP_FAILED, subject, unexpected.getClass().getName()));
      throw unexpected;
    } finally {
      running.ended(failure);
    }
  }

  private static <T> void run(
      Subject subject,
      Supplier<T> work,
      Consumer<Optional<ControllerException>> end,
      CompletableFuture<T> result) {
    T value;
    try {
      value = work.get();
    } catch (ControllerException failed) {
      fail(failed, end, result);
      return;
    } catch (RuntimeException | Error unexpected) {
      fail(
          ControllerFailures.failed(
              Outcome.UNCERTAIN,
              OperatorCode.STEP_FAILED,
              subject,
              String.valueOf(unexpected),
              unexpected),
          end,
          result);
      return;
    }
    try {
      end.accept(Optional.empty());
    } finally {
      result.complete(value);
    }
  }

  private static void fail(
      ControllerException failed,
      Consumer<Optional<ControllerException>> end,
      CompletableFuture<?> result) {
    try {
      end.accept(Optional.of(failed));
    } finally {
      result.completeExceptionally(failed);
    }
  }

  /** Waits for one. An interrupt ends the waiting, and takes it out of the line if it waits. */
  private static <T> T await(Begun<T> operation) {
    try {
      return operation.end().get();
    } catch (InterruptedException e) {
      operation.end().cancel(true);
      Thread.currentThread().interrupt();
      throw ControllerFailures.failed(
          Outcome.UNCERTAIN,
          OperatorCode.CONTROLLER_CALL_CANCELLED,
          operation.subject(),
          "the thread that waited was interrupted",
          e);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof ControllerException known) {
        throw known;
      }
      throw new IllegalStateException(failed.getCause());
    }
  }

  /** Work on snapshots, which takes no turn among the operations of a volume. */
  private final class Turned implements SnapshotBackups.Turns {

    @Override
    public <T> T await(Operation kind, Optional<VolumeKey> volume, String doing, Supplier<T> work) {
      return VolumeController.await(begun(kind, volume, List.of(), doing, work));
    }

    @Override
    public CatalogEntry there(VolumeKey key, String doing) {
      return volumes.there(key, doing);
    }
  }

  /** The operations for a host, whose actions run on threads of the controller. */
  private final class Handed implements AsyncVolumeController {

    @Override
    public CompletionStage<CatalogVolume> create(VolumeKey key, VolumeSpec spec) {
      return handed(creating(key, spec));
    }

    @Override
    public CompletionStage<@Nullable Void> delete(VolumeKey key) {
      return this.<Done, @Nullable Void>handed(deleting(key), done -> null);
    }

    @Override
    public CompletionStage<CatalogVolume> register(CatalogVolume volume) {
      return handed(registering(volume));
    }

    @Override
    public CompletionStage<Boolean> deregister(VolumeKey key) {
      return handed(forgetting(key));
    }

    @Override
    public CompletionStage<CatalogVolume> expand(VolumeKey key, CapacityRange to) {
      return handed(expanding(key, to));
    }

    @Override
    public CompletionStage<CatalogVolume> modify(
        VolumeKey key, Map<String, String> mutableParameters) {
      return handed(modifying(key, mutableParameters));
    }

    @Override
    public CompletionStage<Snapshot> createSnapshot(
        VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
      return handed(cutting(volume, name, parameters, Optional.empty()));
    }

    @Override
    public CompletionStage<Snapshot> createSnapshot(
        VolumeKey volume,
        SnapshotName name,
        Map<String, String> parameters,
        TopologyRequirement usableFrom) {
      return handed(cutting(volume, name, parameters, Optional.of(usableFrom)));
    }

    @Override
    public CompletionStage<VolumeGroupSnapshot> createGroupSnapshot(
        Set<VolumeKey> keys, SnapshotName name, Map<String, String> parameters) {
      return handed(cutting(keys, name, parameters));
    }

    @Override
    public CompletionStage<VolumeEntry> inspect(VolumeKey key) {
      return handed(inspecting(key));
    }

    @Override
    public CompletionStage<Optional<VolumeHealthReport>> health(VolumeKey key) {
      return handed(readingHealth(key));
    }

    @Override
    public CompletionStage<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
      return handed(reading(spec, place));
    }

    @Override
    public CompletionStage<Boolean> attaches(PluginId plugin) {
      return handed(asking(plugin));
    }

    private <T> CompletionStage<T> handed(Begun<T> operation) {
      return handed(operation, Function.identity());
    }

    /** Cancelling what is handed out takes the operation out of the line, if it waits there. */
    private <T, R extends @Nullable Object> CompletionStage<R> handed(
        Begun<T> operation, Function<T, R> shown) {
      CompletableFuture<R> end = new CompletableFuture<>();
      end.whenComplete(
          (value, failure) -> {
            if (end.isCancelled()) {
              operation.end().cancel(true);
            }
          });
      operation
          .end()
          .whenComplete(
              (value, failure) ->
                  hand(
                      () -> {
                        if (failure == null) {
                          end.complete(shown.apply(value));
                        } else {
                          end.completeExceptionally(Unwrapped.of(failure));
                        }
                      }));
      return end;
    }

    private void hand(Runnable work) {
      try {
        threads.execute(work);
      } catch (RejectedExecutionException | OutOfMemoryError refused) {
        work.run();
      }
    }
  }

  /** Collects what a controller is opened with. */
  public static final class Builder {

    private static final String THREADS = "csi4j-volume-controller";

    final PluginRegistry plugins;
    final VolumeStore store;
    Function<VolumeKey, Optional<Claim>> claims = key -> Optional.empty();
    private @Nullable ClaimStore claimStore;
    Function<SecretsReference, SecretsProvider> secrets = reference -> SecretsProvider.none();
    ControllerSettings settings = ControllerSettings.defaults();
    Duration snapshotPatience = Duration.ofHours(1);
    private Duration firstPause = UnfinishedWork.FIRST_PAUSE;
    ValidationResult.Policy validation = ValidationResult.Policy.ALL_OR_NOTHING;
    Consumer<OperatorMessage> told = Messages::log;
    final List<ControllerListener> listeners = new ArrayList<>();

    private Builder(PluginRegistry plugins, VolumeStore store) {
      this.plugins = Objects.requireNonNull(plugins, "plugins");
      this.store = Objects.requireNonNull(store, "store");
    }

    /** Sets who knows the claims of volumes: without it, volumes have no holders. */
    public Builder claims(Function<VolumeKey, Optional<Claim>> value) {
      claims = Objects.requireNonNull(value, "value");
      claimStore = null;
      return this;
    }

    /**
     * Sets the store that knows the claims of volumes. Volumes are held in it while they are
     * deleted: no other process can claim one between the last look at its claims and its deletion.
     */
    public Builder claims(ClaimStore value) {
      claims(key -> Optional.of(value.read(key).claim()));
      claimStore = value;
      return this;
    }

    /** Returns the book in which volumes are held that are deleted, if the store is known. */
    Optional<ClaimBook> book() {
      return Optional.ofNullable(claimStore)
          .map(store -> new ClaimBook(store, java.time.Clock.systemUTC()));
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
    public Builder listener(ControllerListener value) {
      listeners.add(Objects.requireNonNull(value, "value"));
      return this;
    }

    /**
     * Opens it, and goes on in the background with what an earlier life has begun.
     *
     * @throws io.csi4j.volume.state.StateException if the store cannot be read
     */
    public VolumeController open() {
      // Threads are there only while needed.
      OnDemandThreads threads = new OnDemandThreads(THREADS);
      RegistryControllers controllers = new RegistryControllers(plugins, settings, threads);
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
}
