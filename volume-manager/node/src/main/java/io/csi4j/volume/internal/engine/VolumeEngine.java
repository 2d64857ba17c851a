package io.csi4j.volume.internal.engine;

import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.lifecycle.Goal;
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
import io.csi4j.volume.node.ExpandRequest;
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
 * The engine: hands operations to volumes. Nothing here blocks for a plugin; stages end on the
 * scheduler's threads.
 */
public final class VolumeEngine {

  private static final String CLOSED = "the manager is closed";

  private static final String READING = "reading or expanding";

  /** A timer that is later than this is told: the process stood still. */
  private static final long LONG_PAUSE = Duration.ofMinutes(1).toNanos();

  // Used by the volumes and by the list of the host, too.
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

  /** The end of the last pause of the process that was told. */
  private final AtomicLong pauseTold;

  /** The notices of plugins that are told once, and were. */
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

  /** Reads what is remembered and what is mounted. Calls no plugin and unmounts nothing. */
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

  /** Plans that every volume looks, again and again, whether what is mounted is still claimed. */
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

  /** Nothing is left of a volume. */
  private void forgotten(VolumeIdentity volume) {
    health.forget(volume);
    drains.changed(volume.plugin());
  }

  /** Something has appeared where a volume was that was given back. */
  private void reappeared(Tombstone tombstone) {
    index.appeared(
        Strays.with(
            parts.layout(),
            Recovery.late(tombstone, parts.kernel().place()),
            parts.kernel().beneath(parts.layout().volume(tombstone.identity()))));
  }

  /** The time of a tombstone is over, and there is something where its volume was. */
  private void overdue(Tombstone tombstone) {
    index
        .volume(tombstone.identity())
        .ifPresentOrElse(actor -> actor.overdue(tombstone), () -> reappeared(tombstone));
  }

  /** Returns the report on what was found when the engine was opened. */
  public RecoveryReport report() {
    return report;
  }

  // ---- operations

  /** Makes a volume appear. */
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
          OperatorCode.NOT_ALLOWED_HERE, doing, "the namespace '?' is for uses that nobody knows");
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

  /** Publishes a use again, with contexts and secrets that are given now. */
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

  /** Gives up a use. */
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

  /** Owes nothing more for a use whose release does not end: a person has decided so. */
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

  /** Lets the node take notice that a volume has grown. */
  public CompletableFuture<OptionalLong> expand(ExpandRequest request) {
    return begin(
        READING, request.usage(), id -> new Operation.Expand(id, request), OptionalLong.class);
  }

  /** Reads how full a volume is. */
  public CompletableFuture<VolumeStats> stats(VolumeUse usage) {
    return begin(READING, usage, id -> new Operation.Stats(id, usage), VolumeStats.class);
  }

  /** Begins an operation about a use that is mounted. */
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

  /** Returns the number of the next operation. */
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

  /** Refuses this once the engine is being closed. */
  public void mustBeOpen(Subject doing) {
    if (index.isClosing()) {
      throw closed(doing);
    }
  }

  // ---- what the host's list needs

  /** The number of the newest operation. */
  long newest() {
    return operations.get();
  }

  /** Takes away a use, or a volume without uses, unless it was asked for after that operation. */
  CompletableFuture<?> cleanUp(VolumeIdentity volume, Optional<VolumeUse> usage, long operation) {
    Goal goal = usage.<Goal>map(Goal.Release::new).orElse(new Goal.Settle());
    return submit(
        volume,
        Operation.Release.background(nextId(), goal, usage, operation),
        UnmountOutcome.class);
  }

  /** The reaction to changes of the mount table; each is looked at by the volume it concerns. */
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

  // ---- what the volumes need

  /** Whether no new steps are made. */
  boolean isStopped() {
    return stopped;
  }

  /** The plugin has answered a call with OK. Without a repeat there is no budget to fill. */
  void succeeded(PluginId plugin) {
    RetryBudget used = retries.get(plugin);
    if (used != null) {
      used.succeeded();
    }
  }

  /** Returns the budget of what is done again with a plugin. */
  RetryBudget retries(PluginId plugin) {
    return retries.computeIfAbsent(plugin, id -> new RetryBudget(parts, id));
  }

  /** Whether this is told of a plugin for the first time. */
  boolean isFirst(OperatorCode code, PluginId plugin) {
    return toldOnce.add(new ToldOnce(code, plugin));
  }

  /**
   * A timer that was due then has run only now. Where it comes very late, the process stood still;
   * each such pause is told once.
   */
  void late(long due) {
    long now = parts.clock().nanos();
    long before = pauseTold.get();
    if (now - due > LONG_PAUSE && due - before >= 0 && pauseTold.compareAndSet(before, now)) {
      tell(
          Messages.of(
              OperatorCode.LONG_PAUSE,
              Subject.of("waiting"),
              "what was due came " + Duration.ofNanos(now - due).toSeconds() + " s late"));
    }
  }

  /** Tells of something that came up. */
  void tell(OperatorMessage message) {
    parts.events().accept(new VolumeEvent.Noticed(message));
  }

  // ---- what is known

  /** Why a mount would be refused by what is on record, if it would. */
  public Optional<OperatorMessage> refusal(MountRequest request) {
    return queries.refusal(request);
  }

  /** Whether a use is on record as present, and mounted, and not known to be dead. */
  public boolean hasMount(VolumeUse usage) {
    return queries.hasMount(usage);
  }

  /** Returns the boot of this machine. */
  public String boot() {
    return parts.kernel().place().boot();
  }

  /**
   * Proves that nothing of a use is left on this node, or says what is.
   *
   * @param identity which volume it was of, where that is known
   */
  public NodeReceipt receipt(VolumeUse usage, long epoch, Optional<VolumeIdentity> identity) {
    return queries.receipt(usage, epoch, identity);
  }

  /** Whether nothing of a volume is on record, asked for or mounted. */
  public boolean mayDetach(VolumeIdentity volume) {
    return queries.mayDetach(volume);
  }

  /** Returns the status of every volume. */
  public List<VolumeStatus> volumes() {
    return queries.volumes();
  }

  /**
   * Asks for the faults of the volume of a use now, and returns all that are known. Where an
   * operation is being done or waits, or the plugin does not answer, the known ones are older.
   */
  public CompletableFuture<VolumeHealth> health(VolumeUse usage) {
    Optional<VolumeQueue> volume = index.volume(usage);
    Subject doing = Subject.of("asking for the health of the volume").by(usage);
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

  /** Explains the uses that this accepts, for people. */
  public Explanation explain(String subject, Predicate<VolumeUse> about) {
    return queries.explain(subject, about);
  }

  /**
   * One volume at one moment.
   *
   * @param explained the volume as an operator is told of it
   * @param record what is on record of it, if anything is
   */
  public record KnownVolume(Explanation.Explained explained, Optional<VolumeRecord> record) {}

  /** Returns all that is known of every volume, in order; waits for no volume and no plugin. */
  public List<KnownVolume> known() {
    return queries.known();
  }

  // ---- the host's list, and plugins

  /** Returns the plan for a host that wants these uses and no others. */
  public List<Reconciliation.Item> plan(Collection<WantedUse> live) {
    return host.plan(live);
  }

  /** Takes away what was found and is not among these; nothing that was asked for since. */
  public Reconciliation settleFound(Collection<WantedUse> live) {
    return host.settleFound(live);
  }

  /** Refuses a list on which nothing is of what was found mounted. */
  public void mustKeepSome(Collection<WantedUse> live) {
    host.mustKeepSome(live);
  }

  /** Does it. From now on what is not wanted is also taken away in the background. */
  public Reconciliation reconcile(Collection<WantedUse> live) {
    return host.reconcile(live);
  }

  /**
   * A plugin has come, come back, gone, or may be another process: what it owes is tried now, and
   * what it has mounted is looked at.
   */
  public void pluginChanged(PluginId plugin) {
    if (!index.isClosing()) {
      watch.changed(plugin);
      health.changed(plugin);
      wanted.again(plugin);
    }
  }

  /** Mounts nothing new with a plugin, until that is closed. */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return drains
        .begin(plugin, limit)
        .orElseThrow(() -> closed(Subject.of("draining plugin '" + plugin + "'")));
  }

  /** Whether a plugin takes no new use. */
  public boolean isDraining(PluginId plugin) {
    return index.isDrained(plugin);
  }

  // ---- the end

  /** Takes no new operations; ends when those that run have, with how many there were. */
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

  /** Tells those who still wait that what they wait for goes on with the next start. */
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

  /** What is told of an operation that goes on with the next start. */
  public static OperatorMessage closedWith(OperationId operation) {
    return Messages.of(
        OperatorCode.CLOSED_WITH,
        Subject.of("closing the manager"),
        "operation " + operation + " has not ended");
  }
}
