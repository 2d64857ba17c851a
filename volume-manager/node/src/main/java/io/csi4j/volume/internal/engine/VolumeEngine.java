package io.csi4j.volume.internal.engine;

import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Recovery;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Rounds;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.plugin.PluginDrain;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The engine: dispatches operations to volumes. No method of this class waits for a plugin; the
 * returned futures complete on the scheduler's threads.
 */
public final class VolumeEngine {

  private static final String CLOSED = "the manager is closed";

  private static final String READING = "reading or expanding";

  /** Minimum delay of a timer that is reported as a pause of the process, in nanoseconds. */
  private static final long LONG_PAUSE = Duration.ofMinutes(1).toNanos();

  // The volumes and the host's list use these fields too.
  final VolumeIndex index;
  final Tombstones tombstones;
  final PluginDrains drains;
  final PluginWatch watch;
  final HealthWatch health;
  final ForeignMounts foreign;
  final MountOrigins origins;
  final HostList host;
  final WantedMounts wanted;
  final HostTerms terms;

  private final EngineParts parts;
  private final Rounds claimRounds;
  private final VolumeQueries queries;
  private final RecoveryReport report;
  private final AtomicLong operations = new AtomicLong();

  /** The end of the last reported pause of the process. */
  private final AtomicLong pauseTold;

  /** The notices that were already reported and must be reported only once for each plugin. */
  private final Set<ToldOnce> toldOnce = ConcurrentHashMap.newKeySet();

  private volatile boolean stopped;
  private volatile Runnable unwatch = () -> {};

  private final ConcurrentMap<PluginId, RetryBudget> retries = new ConcurrentHashMap<>();

  private record ToldOnce(OperatorCode code, PluginId plugin) {}

  private VolumeEngine(EngineParts parts) {
    this.parts = parts;
    index = new VolumeIndex(identity -> new VolumeQueue(identity, parts, this), this::forgotten);
    watch = new PluginWatch(parts, index::of);
    health = new HealthWatch(parts, index);
    pauseTold = new AtomicLong(parts.clock().nanos());
    foreign = ForeignMounts.since(parts.kernel(), parts.layout(), parts.directories()::isMoved);
    tombstones = new Tombstones(parts, foreign, this::reappeared, this::overdue);
    origins = new MountOrigins(parts.kernel(), parts.layout(), index);
    drains = new PluginDrains(parts.scheduler(), index);
    wanted = new WantedMounts(parts, this::mountNow, this::retries);
    terms = HostTerms.of(parts);
    claimRounds = ClaimChecks.rounds(parts);
    StartInventory found = new StartInventory(parts);
    foreign.know(found.unknown());
    host = new HostList(parts, found.unknown(), this);
    queries = new VolumeQueries(parts, index, foreign, health);
    report = found.into(index, tombstones);
  }

  /** Opens an engine: reads the state and the mounts. Calls no plugin and unmounts nothing. */
  public static VolumeEngine open(EngineParts parts) {
    VolumeEngine engine = new VolumeEngine(parts);
    if (parts.claims().terms().isPresent()) {
      engine.planClaimRound();
    }
    parts.plugins().known().forEach(engine.health::changed);
    parts.plugins().known().forEach(engine.watch::opened);
    engine.unwatch = parts.kernel().watch(engine.new Changed());

    engine.host.awaitHost();
    return engine;
  }

  /** Plans the recurring claim checks of all volumes. */
  private void planClaimRound() {
    claimRounds.plan(
        () -> {
          try {
            index.volumes().forEach(VolumeQueue::confirm);
          } finally {
            planClaimRound();
          }
        });
  }

  /** Handles a volume that was removed from the index because nothing of it is left. */
  private void forgotten(VolumeIdentity volume) {
    health.forget(volume);
    drains.changed(volume.plugin());
  }

  /** Handles a released volume whose mounts or directories exist again. */
  private void reappeared(Tombstone tombstone) {
    index.appeared(
        Strays.with(
            parts.layout(),
            Recovery.late(tombstone, parts.kernel().place()),
            parts.kernel().beneath(parts.layout().volume(tombstone.identity()))));
  }

  /** Handles a tombstone whose time is over while the directory of its volume exists. */
  private void overdue(Tombstone tombstone) {
    index
        .volume(tombstone.identity())
        .ifPresentOrElse(actor -> actor.overdue(tombstone), () -> reappeared(tombstone));
  }

  /** Returns the report on the recovery that ran when the engine was opened. */
  public RecoveryReport report() {
    return report;
  }

  // ---- operations

  /** Mounts a volume. */
  public CompletableFuture<MountedVolume> mount(MountRequest request) {
    wanted.forget(request.usage());
    return mountNow(request);
  }

  private CompletableFuture<MountedVolume> mountNow(MountRequest asked) {
    VolumeIdentity identity = new VolumeIdentity(asked.plugin(), asked.handle());
    VolumeUse usage = asked.usage();
    Subject doing = Subject.of("mounting", identity).by(usage);
    if (index.isClosing()) {
      return failed(closed(doing));
    }
    Optional<HostTerms.Refusal> refusal = terms.refusal(asked);
    if (refusal.isPresent()) {
      return failed(refusal.get().code(), doing, refusal.get().seen());
    }
    MountRequest request = terms.applied(asked);
    if (StrayUse.isStray(usage)) {
      return failed(
          OperatorCode.NOT_ALLOWED_HERE, doing, "the namespace '?' is reserved for unknown uses");
    }
    OperationId id = nextId();
    Optional<VolumeIdentity> owner = index.ask(usage, identity, id.value());
    if (owner.isEmpty()) {
      return failed(OperatorCode.PLUGIN_DRAINING, doing, "");
    }
    if (!owner.get().equals(identity)) {
      return failed(OperatorCode.OPTIONS_DIFFER, doing, VolumeQueries.otherwise(owner.get()));
    }
    return submit(identity, new Operation.Mount(id, request), MountedVolume.class);
  }

  /** Publishes a use again, with new contexts and secrets. */
  public CompletableFuture<MountedVolume> refresh(MountRequest asked) {
    VolumeIdentity identity = new VolumeIdentity(asked.plugin(), asked.handle());
    Subject doing = Subject.of("refreshing", identity).by(asked.usage());
    if (index.isClosing()) {
      return failed(closed(doing));
    }
    Optional<HostTerms.Refusal> refusal = terms.refusal(asked);
    if (refusal.isPresent()) {
      return failed(refusal.get().code(), doing, refusal.get().seen());
    }
    Optional<VolumeIdentity> owner = index.owner(asked.usage());
    if (owner.filter(other -> !other.equals(identity)).isPresent()) {
      return failed(OperatorCode.OPTIONS_DIFFER, doing, VolumeQueries.otherwise(owner.get()));
    }
    return begin(
        "refreshing",
        asked.usage(),
        id -> new Operation.Refresh(id, terms.applied(asked)),
        MountedVolume.class);
  }

  /** Releases a use. */
  public CompletableFuture<UnmountOutcome> unmount(VolumeUse usage) {
    wanted.forget(usage);
    Optional<VolumeIdentity> identity = index.owner(usage);
    if (index.isClosing()) {
      return failed(closed(Subject.of("unmounting").by(usage)));
    } else if (identity.isEmpty()) {
      return CompletableFuture.completedFuture(UnmountOutcome.UNKNOWN);
    }
    return submit(
        identity.get(),
        Operation.Release.asked(nextId(), new Goal.Release(usage)),
        UnmountOutcome.class);
  }

  /** Abandons a use whose release does not end. Only an operator requests this. */
  public CompletableFuture<UnmountOutcome> abandon(VolumeUse usage, String reason) {
    if (reason.isBlank()) {
      throw new IllegalArgumentException("Abandoning a use needs a reason.");
    }
    Optional<VolumeIdentity> identity = index.owner(usage);
    if (index.isClosing()) {
      return failed(closed(Subject.of("abandoning").by(usage)));
    } else if (identity.isEmpty()) {
      return CompletableFuture.completedFuture(UnmountOutcome.UNKNOWN);
    }
    return submit(
        identity.get(),
        Operation.Release.asked(nextId(), new Goal.Abandon(usage, ForeignText.clause(reason))),
        UnmountOutcome.class);
  }

  /** Expands a volume on the node after the volume has grown. */
  public CompletableFuture<OptionalLong> expand(ExpandRequest request) {
    return begin(
        READING, request.usage(), id -> new Operation.Expand(id, request), OptionalLong.class);
  }

  /** Reads the usage of a volume. */
  public CompletableFuture<VolumeStats> stats(VolumeUse usage) {
    return begin(READING, usage, id -> new Operation.Stats(id, usage), VolumeStats.class);
  }

  /** Starts an operation on a mounted use. */
  private <T> CompletableFuture<T> begin(
      String what, VolumeUse usage, Function<OperationId, Operation> operation, Class<T> type) {
    Optional<VolumeIdentity> identity = index.owner(usage);
    Subject doing = Subject.of(what).by(usage);
    if (index.isClosing()) {
      return failed(closed(doing));
    } else if (identity.isEmpty()) {
      return failed(OperatorCode.NOT_MOUNTED, doing, "there is no such use");
    }
    return submit(identity.get(), operation.apply(nextId()), type);
  }

  /** Returns the number for the next operation. */
  OperationId nextId() {
    return new OperationId(operations.incrementAndGet());
  }

  private <T> CompletableFuture<T> submit(
      VolumeIdentity identity, Operation operation, Class<T> type) {
    CompletableFuture<T> result = operation.end().thenApply(type::cast);
    if (operation.kind() != VolumeEvent.Operation.CLEAN_UP) {
      parts.asked().accept(operation.id());
    }
    return index.begin(identity, operation)
        ? result
        : failed(
            closed(
                VolumeReport.subject(parts.layout(), "operating on", identity, operation.usage())));
  }

  private static <T> CompletableFuture<T> failed(OperatorCode code, Subject subject, String seen) {
    return failed(VolumeReport.refused(code, subject, seen));
  }

  private static <T> CompletableFuture<T> failed(VolumeException refusal) {
    return CompletableFuture.failedFuture(refusal);
  }

  private static VolumeException closed(Subject subject) {
    return VolumeReport.refused(OperatorCode.ENGINE_CLOSED, subject, CLOSED);
  }

  /** Refuses an operation once the engine is being closed. */
  public void mustBeOpen(Subject doing) {
    if (index.isClosing()) {
      throw closed(doing);
    }
  }

  // ---- for the list of the host

  /** Returns the number of the newest operation. */
  long newest() {
    return operations.get();
  }

  /**
   * Releases a use, or a volume without uses. Has no effect if the use was requested after the
   * operation with this number.
   */
  CompletableFuture<?> cleanUp(VolumeIdentity volume, Optional<VolumeUse> usage, long operation) {
    Goal goal = usage.<Goal>map(Goal.Release::new).orElse(new Goal.Settle());
    return submit(
        volume,
        Operation.Release.background(nextId(), goal, usage, operation),
        UnmountOutcome.class);
  }

  /**
   * Reacts to changes of the mount table by notifying the affected volume, which checks the change
   * itself.
   */
  private final class Changed implements KernelMounts.Changes {

    @Override
    public void came(MountPath path) {
      if (foreign.concerns(path)) {
        parts.scheduler().execute(() -> foreign.came(path).ifPresent(VolumeEngine.this::tell));
      }
      changed(path);
    }

    @Override
    public void went(MountPath path) {
      foreign.went(path);
      changed(path);
    }

    private void changed(MountPath path) {
      parts
          .layout()
          .volumeOf(path)
          .flatMap(index::withName)
          .ifPresent(volume -> volume.changed(Optional.of(path)));
    }

    @Override
    public void missed() {
      parts.scheduler().execute(() -> foreign.missed().forEach(VolumeEngine.this::tell));
      index.volumes().forEach(volume -> volume.changed(Optional.empty()));
    }
  }

  // ---- for the volumes

  /** Returns whether the engine has stopped. A stopped engine starts no new steps. */
  boolean isStopped() {
    return stopped;
  }

  /**
   * Notes that the plugin answered a call with OK. Does nothing if the plugin has no retry budget
   * yet, because no attempt was repeated.
   */
  void succeeded(PluginId plugin) {
    RetryBudget used = retries.get(plugin);
    if (used != null) {
      used.succeeded();
    }
  }

  /** Returns the retry budget of a plugin. */
  RetryBudget retries(PluginId plugin) {
    return retries.computeIfAbsent(plugin, id -> new RetryBudget(parts, id));
  }

  /** Returns whether a code is reported for a plugin for the first time. */
  boolean isFirst(OperatorCode code, PluginId plugin) {
    return toldOnce.add(new ToldOnce(code, plugin));
  }

  /**
   * Handles a timer that was due at this time and runs only now. If the timer is very late, the
   * process was paused; each such pause is reported once.
   */
  void late(long due) {
    long now = parts.clock().nanos();
    long before = pauseTold.get();
    if (now - due > LONG_PAUSE && due - before >= 0 && pauseTold.compareAndSet(before, now)) {
      tell(
          Messages.of(
              OperatorCode.LONG_PAUSE,
              Subject.of("waiting"),
              "a timer ran " + Duration.ofNanos(now - due).toSeconds() + " s late"));
    }
  }

  /** Reports a message to listeners. */
  void tell(OperatorMessage message) {
    parts.events().accept(new VolumeEvent.Noticed(message));
  }

  // ---- queries

  /**
   * Returns why the host's rules or the records would make the engine refuse a mount; empty if they
   * allow the mount.
   */
  public Optional<OperatorMessage> refusal(MountRequest request) {
    return queries.refusal(request);
  }

  /**
   * Returns whether a use is recorded as present, is mounted, and has no mount that is known to be
   * dead.
   */
  public boolean hasMount(VolumeUse usage) {
    return queries.hasMount(usage);
  }

  /** Returns the identifier of this machine's present boot. */
  public String boot() {
    return parts.kernel().place().boot();
  }

  /**
   * Returns a receipt that nothing of a use is left on this node. Throws an exception that says
   * what is left, if something is left.
   *
   * @param identity the volume of the use, if it is known
   */
  public NodeReceipt receipt(VolumeUse usage, long epoch, Optional<VolumeIdentity> identity) {
    return queries.receipt(usage, epoch, identity);
  }

  /**
   * Returns whether a volume may be detached: it is not on record, not requested and not mounted.
   */
  public boolean mayDetach(VolumeIdentity volume) {
    return queries.mayDetach(volume);
  }

  /** Returns the status of every volume. */
  public List<VolumeStatus> volumes() {
    return queries.volumes();
  }

  /**
   * Queries the faults of the volume of a use now, and returns all known faults. If an operation is
   * running or waiting, or the plugin does not answer, the returned faults may come from an earlier
   * query.
   */
  public CompletableFuture<VolumeHealth> health(VolumeUse usage) {
    Optional<VolumeQueue> volume = index.volume(usage);
    Subject doing = Subject.of("reading the health of the volume").by(usage);
    if (index.isClosing()) {
      return failed(closed(doing));
    } else if (volume.isEmpty()) {
      return failed(OperatorCode.NOT_MOUNTED, doing, "there is no such use");
    }
    CompletableFuture<VolumeHealth> end = new CompletableFuture<>();
    health.ask(volume.get(), () -> end.complete(health.of(volume.get().identity())));
    return end;
  }

  /** Returns the known faults of the storage behind a plugin. */
  public List<StorageFinding> storageHealth(PluginId plugin) {
    return health.ofStorage(plugin);
  }

  /** Explains every volume, in order. Does not wait for any volume or plugin. */
  public Explanation explain() {
    return new Explanation("every volume", known().stream().map(KnownVolume::explained).toList());
  }

  /** Explains the volumes with a matching use to people. */
  public Explanation explain(String subject, Predicate<VolumeUse> about) {
    return queries.explain(subject, about);
  }

  /**
   * The known state of one volume at one moment.
   *
   * @param explained the explanation of the volume for an operator
   * @param record the record of the volume, if it has one
   */
  public record KnownVolume(Explanation.Explained explained, Optional<VolumeRecord> record) {}

  /** Returns the known state of every volume, in order. Does not wait for any volume or plugin. */
  public List<KnownVolume> known() {
    return queries.known();
  }

  /** Returns the volumes that have an obstacle. Does not wait for any volume or plugin. */
  public List<Explanation.Explained> troubled() {
    return queries.troubled();
  }

  /** Returns whether a part of a volume must still be released or is uncertain. */
  public boolean isCleanupPending(VolumeIdentity volume) {
    return index.record(volume).filter(VolumeRecord::isCleanupPending).isPresent();
  }

  // ---- the host's list, and plugins

  /** Returns the plan of {@link #settleFound} for a host that wants exactly these uses. */
  public List<Reconciliation.Item> plan(Collection<WantedUse> live) {
    return host.plan(live);
  }

  /**
   * Releases the uses that were found at the start and are not on this list. A use that was
   * requested since the start is not released.
   */
  public Reconciliation settleFound(Collection<WantedUse> live) {
    return host.settleFound(live);
  }

  /** Refuses a list that contains none of the uses that were found mounted, if there are any. */
  public void mustKeepSome(Collection<WantedUse> live) {
    host.mustKeepSome(live);
  }

  /**
   * Keeps exactly the uses on this list. From now on, unwanted uses are also removed by background
   * work.
   */
  public Reconciliation reconcile(Collection<WantedUse> live) {
    return host.reconcile(live);
  }

  /**
   * Handles a plugin that has appeared, returned or left, or that may have a new process. Tries the
   * pending work on the plugin's volumes now, and checks their mounts.
   */
  public void pluginChanged(PluginId plugin) {
    if (!index.isClosing()) {
      watch.changed(plugin);
      health.changed(plugin);
      wanted.again(plugin);
    }
  }

  /** Drains a plugin until the drain is closed. */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return drains
        .begin(plugin, limit)
        .orElseThrow(() -> closed(Subject.of("draining plugin '" + plugin + "'")));
  }

  /** Returns whether a plugin is drained and accepts no new use. */
  public boolean isDraining(PluginId plugin) {
    return index.isDrained(plugin);
  }

  // ---- closing

  /**
   * Starts no new operations. The returned future completes when the running operations have ended,
   * with their number.
   */
  public CompletableFuture<Integer> close() {
    index.close();
    Collection<CompletableFuture<Object>> left = index.open().values();
    tombstones.close();
    wanted.close();
    drains.close();
    claimRounds.close();
    health.close();
    index.volumes().forEach(VolumeQueue::close);
    return CompletableFuture.allOf(left.toArray(CompletableFuture[]::new))
        .handle(
            (nothing, failure) -> {
              stopped = true;
              unwatch.run();
              return left.size();
            });
  }

  /**
   * Completes the operations that have not ended with a failure, so that their callers stop
   * waiting. These operations continue after the next start.
   */
  public void abandon() {
    stopped = true;
    unwatch.run();
    index
        .open()
        .forEach(
            (id, end) ->
                end.completeExceptionally(
                    new VolumeException(
                        VolumeException.Outcome.IN_PROGRESS, closedWith(id), id, null)));
  }

  /** Returns the message about an operation that continues after the next start. */
  public static OperatorMessage closedWith(OperationId operation) {
    return Messages.of(
        OperatorCode.CLOSED_WITH,
        Subject.of("closing the manager"),
        "operation " + operation + " has not ended");
  }
}
