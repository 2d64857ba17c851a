package io.csi4j.volume.internal.engine;

import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.layout.StrayUse;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Recovery;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.CleanupPlan;
import io.csi4j.volume.node.ExpandRequest;
import io.csi4j.volume.node.Explanation;
import io.csi4j.volume.node.LiveMount;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.Reconciliation;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.Release;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginDrain;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * The engine: hands operations to volumes. Nothing here blocks for a plugin; stages end on the
 * scheduler's threads.
 */
public final class VolumeEngine {

  private static final String CLOSED = "the manager is closed";

  private final EngineParts parts;
  private final Steps steps;
  private final VolumeIndex index;
  private final Graveyard graveyard;
  private final Drains drains;
  private final AtomicLong operations = new AtomicLong();
  private final PluginWatch watch;
  private final LongPauses pauses;
  private final Overmounts overmounts;
  private final UnexpectedMounts unexpected;
  private final ClaimRounds rounds;
  private final HostList host;
  private final WantedMounts wanted;
  private final Inquiries inquiries;
  private final RecoveryReport report;

  /** The plugins of which it was told that they are sent another access mode. */
  private final Set<PluginId> modeReplaced = ConcurrentHashMap.newKeySet();

  private volatile boolean stopped;
  private volatile Runnable unwatch = () -> {};

  private VolumeEngine(EngineParts parts) {
    this.parts = parts;
    steps = new Steps(parts, this::records);
    index = new VolumeIndex(this::volume, this::forgotten);
    graveyard = new Graveyard(parts, this::haunted);
    watch = new PluginWatch(parts, index::of);
    pauses = new LongPauses(parts.clock().nanos());
    overmounts = Overmounts.since(parts.kernel(), parts.layout());
    unexpected = new UnexpectedMounts(parts.kernel(), parts.layout());
    drains = new Drains(parts.scheduler(), index::left);
    wanted = new WantedMounts(parts, this::mountNow);
    rounds = new ClaimRounds(parts, index::volumes);
    Takeover found = new Takeover(parts);
    unexpected.know(found.unknown());
    host =
        new HostList(parts, index, graveyard, watch, unexpected, found.unknown(), new HostWork());
    inquiries = new Inquiries(parts, index, overmounts, this::owner);
    report = found.into(index, graveyard);
  }

  private List<VolumeRecord> records() {
    return index.volumes().stream().flatMap(it -> it.view().record().stream()).toList();
  }

  /** Reads what is remembered and what is mounted. Calls no plugin and unmounts nothing. */
  public static VolumeEngine open(EngineParts parts) {
    VolumeEngine engine = new VolumeEngine(parts);
    if (!parts.rules().on(Rule.WAIT_FOR_HOST)) {
      engine.index.volumes().forEach(VolumeActor::wake);
    }
    engine.rounds.begin();
    engine.unwatch = parts.kernel().watch(engine.new Changed());

    engine.host.awaitHost();
    return engine;
  }

  private VolumeActor volume(VolumeIdentity identity) {
    return new VolumeActor(identity, parts, steps, new ForVolumes());
  }

  /** Nothing is left of a volume of this plugin. */
  private void forgotten(PluginId plugin) {
    if (drains.any()) {
      drains.changed(plugin);
    }
  }

  /** Something has appeared where a volume was that was given back. */
  private void haunted(Tombstone tombstone) {
    index.appeared(
        Strays.with(
            parts.layout(),
            Recovery.late(tombstone, parts.kernel().place()),
            parts.kernel().beneath(parts.layout().volume(tombstone.identity()))));
  }

  /** What was found when it was opened. */
  public RecoveryReport report() {
    return report;
  }

  // ---- operations

  /** Makes a volume appear. */
  public CompletableFuture<MountedVolume> mount(MountRequest request) {
    wanted.forget(request.usage());
    return mountNow(request);
  }

  private CompletableFuture<MountedVolume> mountNow(MountRequest request) {
    VolumeIdentity identity = new VolumeIdentity(request.plugin(), request.handle());
    UsageKey usage = request.usage();
    Subject doing = Subject.of("mounting", identity).by(usage);
    if (StrayUse.isStray(usage)) {
      return failed(
          OperatorCode.NOT_ALLOWED_HERE, doing, "the namespace '?' is for uses that nobody knows");
    }
    OperationId id = nextId();
    Optional<VolumeIdentity> owner =
        index.ask(usage, identity, id.value(), () -> !drains.isDrained(request.plugin()));
    if (owner.isEmpty()) {
      return failed(OperatorCode.PLUGIN_DRAINING, doing, "");
    }
    if (!owner.get().equals(identity)) {
      return failed(OperatorCode.OPTIONS_DIFFER, doing, Inquiries.otherwise(owner.get()));
    }
    return submit(
        identity,
        id,
        new Wish.Mount(request),
        VolumeEvent.Operation.MOUNT,
        Optional.of(usage),
        MountedVolume.class);
  }

  /** Gives up a use. */
  public CompletableFuture<Release> unmount(UsageKey usage) {
    wanted.forget(usage);
    Optional<VolumeIdentity> identity = owner(usage);
    if (identity.isEmpty()) {
      return index.isClosing()
          ? failed(OperatorCode.ENGINE_CLOSED, Subject.of("unmounting").by(usage), CLOSED)
          : CompletableFuture.completedFuture(Release.UNKNOWN);
    }
    return submit(
        identity.get(),
        nextId(),
        new Wish.Release(new Goal.Release(usage), Long.MAX_VALUE),
        VolumeEvent.Operation.UNMOUNT,
        Optional.of(usage),
        Release.class);
  }

  /** Owes nothing more for a use whose release does not end: a person has decided so. */
  public CompletableFuture<Release> abandon(UsageKey usage, String reason) {
    Optional<VolumeIdentity> identity = owner(usage);
    if (identity.isEmpty()) {
      return index.isClosing()
          ? failed(OperatorCode.ENGINE_CLOSED, Subject.of("abandoning").by(usage), CLOSED)
          : CompletableFuture.completedFuture(Release.UNKNOWN);
    }
    return submit(
        identity.get(),
        nextId(),
        new Wish.Release(new Goal.Abandon(usage, ForeignText.clause(reason)), Long.MAX_VALUE),
        VolumeEvent.Operation.UNMOUNT,
        Optional.of(usage),
        Release.class);
  }

  /** Lets the node take notice that a volume has grown. */
  public CompletableFuture<OptionalLong> expand(ExpandRequest request) {
    return read(
        request.usage(),
        new Wish.Expand(request),
        VolumeEvent.Operation.EXPAND,
        OptionalLong.class);
  }

  /** Reads how full a volume is. */
  public CompletableFuture<VolumeStats> stats(UsageKey usage) {
    return read(usage, new Wish.Stats(), VolumeEvent.Operation.STATS, VolumeStats.class);
  }

  private <T> CompletableFuture<T> read(
      UsageKey usage, Wish wish, VolumeEvent.Operation kind, Class<T> type) {
    Optional<VolumeIdentity> identity = owner(usage);
    if (identity.isEmpty()) {
      return failed(
          OperatorCode.NOT_MOUNTED,
          Subject.of("reading or expanding").by(usage),
          "there is no such use");
    }
    return submit(identity.get(), nextId(), wish, kind, Optional.of(usage), type);
  }

  private OperationId nextId() {
    return new OperationId(operations.incrementAndGet());
  }

  private <T> CompletableFuture<T> submit(
      VolumeIdentity identity,
      OperationId id,
      Wish wish,
      VolumeEvent.Operation kind,
      Optional<UsageKey> usage,
      Class<T> type) {
    CompletableFuture<Object> end = new CompletableFuture<>();
    CompletableFuture<T> result = end.thenApply(type::cast);
    return index.begin(identity, new Operation(id, wish, kind, usage, end))
        ? result
        : failed(
            OperatorCode.ENGINE_CLOSED,
            Results.subject(parts.layout(), "operating on", identity, usage),
            CLOSED);
  }

  private static <T> CompletableFuture<T> failed(OperatorCode code, Subject subject, String seen) {
    return CompletableFuture.failedFuture(Results.refused(code, subject, seen));
  }

  private Optional<VolumeIdentity> owner(UsageKey usage) {
    // Without the rule: as a caller would find it whose next request makes its names anew.
    return parts.rules().on(Rule.USAGE_BY_VALUE) ? index.owner(usage) : Optional.empty();
  }

  /** What the list of the host needs of the engine. */
  private final class HostWork implements HostList.Work {

    @Override
    public long newest() {
      return operations.get();
    }

    @Override
    public CompletableFuture<?> mount(MountRequest request) {
      return wanted.want(request);
    }

    @Override
    public void keepOnly(Collection<UsageKey> live) {
      wanted.keepOnly(live);
    }

    @Override
    public CompletableFuture<?> cleanUp(
        VolumeIdentity volume, Optional<UsageKey> usage, long operation) {
      Goal goal = usage.<Goal>map(Goal.Release::new).orElse(new Goal.Settle());
      return submit(
          volume,
          nextId(),
          new Wish.Release(goal, operation),
          VolumeEvent.Operation.CLEAN_UP,
          usage,
          Release.class);
    }
  }

  /** What becomes of changes to what is mounted; each is looked at by the volume it concerns. */
  private final class Changed implements KernelMounts.Changes {

    @Override
    public void came(MountPath path) {
      if (overmounts.concerns(path)) {
        parts.scheduler().execute(() -> overmounts.came(path).ifPresent(this::tell));
      }
    }

    @Override
    public void went(MountPath path) {
      overmounts.went(path);
      parts
          .layout()
          .volumeOf(path)
          .flatMap(index::withName)
          .ifPresent(volume -> volume.went(Optional.of(path)));
    }

    @Override
    public void missed() {
      parts.scheduler().execute(() -> overmounts.missed().forEach(this::tell));
      index.volumes().forEach(volume -> volume.went(Optional.empty()));
    }

    private void tell(OperatorMessage message) {
      parts.events().accept(new VolumeEvent.Noticed(message));
    }
  }

  /** What the volumes need of the engine. */
  private final class ForVolumes implements Engineering {

    @Override
    public boolean heardFromHost() {
      return host.isHeard();
    }

    @Override
    public boolean isClosing() {
      return index.isClosing();
    }

    @Override
    public boolean isStopped() {
      return stopped;
    }

    @Override
    public boolean isDrained(PluginId plugin) {
      return drains.isDrained(plugin);
    }

    @Override
    public long askedFor(UsageKey usage) {
      return index.askedFor(usage);
    }

    @Override
    public void buried(Tombstone tombstone) {
      graveyard.add(tombstone);
    }

    @Override
    public void named(VolumeActor actor, UsageKey usage) {
      index.named(actor, usage);
    }

    @Override
    public void idle(VolumeActor actor) {
      index.idle(actor);
    }

    @Override
    public Operation background(Wish wish, VolumeEvent.Operation kind, Optional<UsageKey> usage) {
      return new Operation(nextId(), wish, kind, usage, new CompletableFuture<>());
    }

    @Override
    public void heard(PluginId plugin, String instance, Optional<Boolean> stages) {
      watch.heard(plugin, instance, stages);
    }

    @Override
    public boolean isFirstReplaced(PluginId plugin) {
      return modeReplaced.add(plugin);
    }

    @Override
    public void late(long due) {
      pauses
          .late(due, parts.clock().nanos())
          .map(
              pause ->
                  Messages.of(
                      OperatorCode.LONG_PAUSE,
                      Subject.of("waiting"),
                      "what was due came " + pause.toSeconds() + " s late"))
          .ifPresent(news -> parts.events().accept(new VolumeEvent.Noticed(news)));
    }

    @Override
    public void lookForUnexpected() {
      unexpected.look().forEach(news -> parts.events().accept(new VolumeEvent.Noticed(news)));
    }

    @Override
    public Optional<Failure> overmounted(VolumeIdentity volume, Optional<UsageKey> usage) {
      return overmounts.seen(volume, usage);
    }

    @Override
    public Optional<Failure> covered(VolumeIdentity volume) {
      return overmounts.covering(volume);
    }
  }

  // ---- what is known

  /** Why a mount would be refused by what is on record, if it would. */
  public Optional<OperatorMessage> refusal(MountRequest request) {
    return inquiries.refusal(request);
  }

  /** Whether a use is on record as present, and mounted, and not known to be dead. */
  public boolean hasMount(UsageKey usage) {
    return inquiries.hasMount(usage);
  }

  /**
   * Proves that nothing of a use is left on this node, or says what is.
   *
   * @param identity which volume it was of, where that is known
   */
  public NodeReceipt receipt(UsageKey usage, long epoch, Optional<VolumeIdentity> identity) {
    return inquiries.receipt(usage, epoch, identity);
  }

  /** Whether nothing of a volume is on record, asked for or mounted. */
  public boolean mayDetach(VolumeIdentity volume) {
    return inquiries.mayDetach(volume);
  }

  /** What is known of every volume. */
  public List<VolumeStatus> volumes() {
    return inquiries.volumes();
  }

  /** What is being done with the uses that this accepts, for people. */
  public Explanation explain(String subject, Predicate<UsageKey> about) {
    return inquiries.explain(subject, about);
  }

  // ---- the host's list, and plugins

  /** What would be done for a host that wants these uses and no others. */
  public CleanupPlan plan(Collection<LiveMount> live) {
    return host.plan(live);
  }

  /** Takes away what was found and is not among these; nothing that was asked for since. */
  public Reconciliation settleFound(Collection<LiveMount> live) {
    return host.settleFound(live);
  }

  /** Refuses a list on which nothing is of what was found mounted. */
  public void mustKeepSome(Collection<LiveMount> live) {
    host.mustKeepSome(live);
  }

  /** Does it. From now on what is not wanted is also taken away in the background. */
  public Reconciliation reconcile(Collection<LiveMount> live) {
    return host.reconcile(live);
  }

  /**
   * A plugin has come, come back, gone, or may be another process: what it owes is tried now, and
   * what it has mounted is looked at.
   */
  public void pluginChanged(PluginId plugin) {
    if (!index.isClosing()) {
      watch.changed(plugin);
      wanted.again(plugin);
    }
  }

  /** Mounts nothing new with a plugin, until that is closed. */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return drains.begin(plugin, limit);
  }

  // ---- the end

  /** Takes no new operations; ends when those that run have, with how many there were. */
  public CompletableFuture<Integer> close() {
    index.close();
    Collection<CompletableFuture<Object>> left = index.open().values();
    graveyard.close();
    wanted.close();
    drains.close();
    rounds.close();
    index.volumes().forEach(VolumeActor::close);
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
                        VolumeException.Outcome.IN_PROGRESS,
                        Messages.of(
                            OperatorCode.CLOSED_WITH,
                            Subject.of("closing the manager"),
                            "operation " + id + " has not ended"),
                        id,
                        null)));
  }
}
