package io.csi4j.volume.internal.engine;

import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.MountException;
import io.csi4j.mount.MountPath;
import io.csi4j.volume.CleanupPlan;
import io.csi4j.volume.ExpandRequest;
import io.csi4j.volume.Explanation;
import io.csi4j.volume.LiveMount;
import io.csi4j.volume.MountRequest;
import io.csi4j.volume.MountedVolume;
import io.csi4j.volume.OperationId;
import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.OperatorMessage;
import io.csi4j.volume.PathStatus;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.Reconciliation;
import io.csi4j.volume.RecoveryReport;
import io.csi4j.volume.Release;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.VolumeEvent;
import io.csi4j.volume.VolumeException;
import io.csi4j.volume.VolumeStatus;
import io.csi4j.volume.claim.NodeReceipt;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.engine.Reconciling.Planned;
import io.csi4j.volume.internal.layout.PathProblem;
import io.csi4j.volume.internal.layout.StrayUse;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.lifecycle.Admission;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.VolumeIdentity;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Found;
import io.csi4j.volume.internal.recovery.Recovered;
import io.csi4j.volume.internal.recovery.Recovery;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.plugin.PluginDrain;
import io.csi4j.volume.state.LoadedState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engine: hands operations to volumes, and remembers which volume a use belongs to. Nothing
 * here blocks for a plugin; stages end on the scheduler's threads.
 */
public final class VolumeEngine {

  private final EngineParts parts;
  private final Steps steps;
  private final Graveyard graveyard;
  private final Drains drains;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<VolumeIdentity, VolumeActor> actors = new TreeMap<>();
  private final Map<UsageKey, VolumeIdentity> uses = new HashMap<>();
  private final Map<UsageKey, Long> asked = new HashMap<>();
  private final Map<OperationId, CompletableFuture<Object>> open = new HashMap<>();
  private final AtomicLong operations = new AtomicLong();
  private final List<MountPath> unknown = new ArrayList<>();
  private final PluginWatch watch;
  private final LongPauses pauses;
  private final Overmounts overmounts;
  private final UnexpectedMounts unexpected;
  private final ClaimRounds rounds;
  private @Nullable RecoveryReport report;
  private volatile boolean heard;
  private volatile boolean closing;
  private volatile boolean stopped;

  private VolumeEngine(EngineParts parts) {
    this.parts = parts;
    steps = new Steps(parts);
    graveyard = new Graveyard(parts, this::haunted);
    watch = new PluginWatch(parts, this::of);
    pauses = new LongPauses(parts.clock().nanos());
    overmounts = Overmounts.since(parts.kernel(), parts.layout());
    unexpected = new UnexpectedMounts(parts.kernel(), parts.layout());
    drains = new Drains(parts.scheduler(), this::left);
    rounds = new ClaimRounds(parts, this::actors);
  }

  /** Reads what is remembered and what is mounted. Calls no plugin and unmounts nothing. */
  public static VolumeEngine open(EngineParts parts) {
    VolumeEngine engine = new VolumeEngine(parts);
    engine.recover();
    engine.rounds.begin();
    return engine;
  }

  private void recover() {
    long begin = parts.clock().nanos();
    List<PathProblem> damaged = new ArrayList<>();
    LoadedState state = parts.state().load();
    Recovered recovered =
        Recovery.of(
            parts.layout(),
            parts.rules(),
            new Found(
                state,
                directories(state, damaged),
                parts.kernel().beneath(parts.layout().volumes()),
                parts.kernel().place()));
    for (VolumeRecord volume : recovered.volumes()) {
      VolumeActor actor = actor(volume.identity());
      if (recovered.late().contains(volume.identity())) {
        actor.restoreLate(volume);
      } else {
        actor.restore(volume);
      }
      index(actor, volume);
    }
    recovered.tombstones().forEach(graveyard::add);
    unknown.addAll(recovered.unknown());
    unexpected.know(recovered.unknown());
    IdentityRepair repair = new IdentityRepair(parts, recovered.volumes());
    List<OperatorMessage> findings = new ArrayList<>();
    damaged.forEach(problem -> findings.add(repair.of(problem)));
    findings.addAll(recovered.findings());
    findings.addAll(summary(recovered));
    findings.forEach(finding -> parts.events().accept(new VolumeEvent.Noticed(finding)));
    report =
        new RecoveryReport(
            recovered.volumes().size(),
            recovered.adopted(),
            recovered.inDoubt(),
            recovered.going(),
            findings,
            Duration.ofNanos(parts.clock().nanos() - begin));
    if (!parts.rules().on(Rule.WAIT_FOR_HOST)) {
      actors.values().forEach(VolumeActor::wake);
    }
  }

  /** What was taken over, and what waits for the word of the host. */
  private static List<OperatorMessage> summary(Recovered recovered) {
    Subject doing = Subject.of("finding volumes again");
    List<OperatorMessage> told = new ArrayList<>();
    int adopted = recovered.adopted().size();
    if (adopted > 0) {
      told.add(Messages.of(OperatorCode.ADOPTED, doing, "that is so for " + uses(adopted)));
    }
    int doubtful = recovered.inDoubt().size();
    int going = recovered.going().size();
    if (doubtful + going > 0) {
      told.add(
          Messages.of(
              OperatorCode.WAITING_FOR_HOST,
              doing,
              uses(doubtful)
                  + " may be there or not, and "
                  + uses(going)
                  + " ended before the start"));
    }
    return told;
  }

  private static String uses(int count) {
    return count + (count == 1 ? " use" : " uses");
  }

  private void index(VolumeActor actor, VolumeRecord volume) {
    for (UsageKey usage : volume.targets().keySet()) {
      uses.put(usage, volume.identity());
      actor.indexed.add(usage);
    }
  }

  /** Something has appeared where a volume was that was given back. */
  private void haunted(Tombstone tombstone) {
    VolumeRecord late =
        Strays.with(
            parts.layout(),
            Recovery.late(tombstone, parts.kernel().place()),
            parts.kernel().beneath(parts.layout().volume(tombstone.identity())));
    lock.lock();
    try {
      if (closing) {
        return;
      }
      VolumeActor actor = actor(tombstone.identity());
      if (actor.view().record().isEmpty() && actor.pending == 0) {
        index(actor, late);
        actor.appear(late);
      }
    } finally {
      lock.unlock();
    }
  }

  private List<VolumeDirectories.Found> directories(LoadedState state, List<PathProblem> damaged) {
    try {
      return parts.directories().scan(Recovery.readable(state), damaged::add);
    } catch (PathProblem problem) {
      damaged.add(problem);
      return List.of();
    }
  }

  /** What was found when it was opened. */
  public RecoveryReport report() {
    return Objects.requireNonNull(report);
  }

  // ---- operations

  /** Makes a volume appear. */
  public CompletableFuture<MountedVolume> mount(MountRequest request) {
    VolumeIdentity identity = new VolumeIdentity(request.plugin(), request.handle());
    UsageKey usage = request.usage();
    if (StrayUse.isStray(usage)) {
      return failed(
          OperatorCode.NOT_ALLOWED_HERE,
          Subject.of("mounting", identity).by(usage),
          "the namespace '?' is for uses that nobody knows");
    }
    long id = operations.incrementAndGet();
    lock.lock();
    try {
      VolumeIdentity owner = uses.putIfAbsent(usage, identity);
      if (owner != null && !owner.equals(identity)) {
        return failed(
            OperatorCode.OPTIONS_DIFFER,
            Subject.of("mounting", identity).by(usage),
            otherwise(owner));
      }
      if (owner == null && drains.isDrained(request.plugin())) {
        uses.remove(usage, identity);
        return CompletableFuture.failedFuture(drained(identity, usage));
      }
      asked.put(usage, id);
    } finally {
      lock.unlock();
    }
    return submit(
        identity,
        new OperationId(id),
        new Wish.Mount(request),
        VolumeEvent.Operation.MOUNT,
        Optional.of(usage),
        MountedVolume.class);
  }

  private VolumeException drained(VolumeIdentity identity, UsageKey usage) {
    return Results.refused(
        OperatorCode.PLUGIN_DRAINING, Subject.of("mounting", identity).by(usage), "");
  }

  /** Gives up a use. */
  public CompletableFuture<Release> unmount(UsageKey usage) {
    Optional<VolumeIdentity> identity = identity(usage);
    if (identity.isEmpty()) {
      return closing
          ? failed(OperatorCode.ENGINE_CLOSED, Subject.of("unmounting").by(usage), CLOSED)
          : CompletableFuture.completedFuture(Release.UNKNOWN);
    }
    return submit(
        identity.get(),
        new OperationId(operations.incrementAndGet()),
        new Wish.Release(new Goal.Release(usage), Long.MAX_VALUE),
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
    Optional<VolumeIdentity> identity = identity(usage);
    if (identity.isEmpty()) {
      return failed(
          OperatorCode.NOT_MOUNTED,
          Subject.of("reading or expanding").by(usage),
          "there is no such use");
    }
    return submit(
        identity.get(),
        new OperationId(operations.incrementAndGet()),
        wish,
        kind,
        Optional.of(usage),
        type);
  }

  private static final String CLOSED = "the manager is closed";

  private <T> CompletableFuture<T> submit(
      VolumeIdentity identity,
      OperationId id,
      Wish wish,
      VolumeEvent.Operation kind,
      Optional<UsageKey> usage,
      Class<T> type) {
    CompletableFuture<Object> end = new CompletableFuture<>();
    CompletableFuture<T> result = end.thenApply(type::cast);
    lock.lock();
    try {
      if (closing) {
        return failed(
            OperatorCode.ENGINE_CLOSED,
            Results.subject(parts.layout(), "operating on", identity, usage),
            CLOSED);
      }
      VolumeActor actor = actor(identity);
      open.put(id, end);
      actor.pending++;
      usage.ifPresent(actor.indexed::add);
      end.whenComplete((value, failure) -> over(actor, id));
      actor.submit(new Operation(id, wish, kind, usage, end));
    } finally {
      lock.unlock();
    }
    return result;
  }

  private void over(VolumeActor actor, OperationId id) {
    lock.lock();
    try {
      open.remove(id);
      actor.pending--;
      forgetUnused(actor);
    } finally {
      lock.unlock();
    }
  }

  /** Forgets the uses of a volume that are over, and the volume with the last. Under the lock. */
  private void forgetUnused(VolumeActor actor) {
    if (actor.pending > 0) {
      return;
    }
    Optional<VolumeRecord> record = actor.view().record();
    Set<UsageKey> left = record.map(known -> known.targets().keySet()).orElse(Set.of());
    for (UsageKey usage : List.copyOf(actor.indexed)) {
      if (!left.contains(usage)) {
        actor.indexed.remove(usage);
        uses.remove(usage, actor.identity());
        asked.remove(usage);
      }
    }
    if (record.isEmpty() && actors.remove(actor.identity(), actor) && drains.any()) {
      drains.changed(actor.identity().plugin());
    }
  }

  private static <T> CompletableFuture<T> failed(OperatorCode code, Subject subject, String seen) {
    return CompletableFuture.failedFuture(Results.refused(code, subject, seen));
  }

  private VolumeActor actor(VolumeIdentity identity) {
    return actors.computeIfAbsent(
        identity, key -> new VolumeActor(key, parts, steps, new Engineering()));
  }

  private Optional<VolumeIdentity> identity(UsageKey usage) {
    lock.lock();
    try {
      if (!parts.rules().on(Rule.USAGE_BY_VALUE)) {
        // As a caller would find it whose next request makes its names anew.
        return Optional.empty();
      }
      return Optional.ofNullable(uses.get(usage));
    } finally {
      lock.unlock();
    }
  }

  /** What the volumes need of the engine. */
  private final class Engineering implements VolumeActor.Engineering {

    @Override
    public boolean heardFromHost() {
      return heard;
    }

    @Override
    public boolean isClosing() {
      return closing;
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
      lock.lock();
      try {
        return asked.getOrDefault(usage, 0L);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void buried(Tombstone tombstone) {
      graveyard.add(tombstone);
    }

    @Override
    public void named(VolumeActor actor, UsageKey usage) {
      lock.lock();
      try {
        uses.putIfAbsent(usage, actor.identity());
        actor.indexed.add(usage);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void idle(VolumeActor actor) {
      lock.lock();
      try {
        forgetUnused(actor);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Operation background(Wish wish, VolumeEvent.Operation kind, Optional<UsageKey> usage) {
      return new Operation(
          new OperationId(operations.incrementAndGet()),
          wish,
          kind,
          usage,
          new CompletableFuture<>());
    }

    @Override
    public void heard(PluginId plugin, String instance, Optional<Boolean> stages) {
      watch.heard(plugin, instance, stages);
    }

    @Override
    public void late(long due) {
      pauses
          .late(due, parts.clock().nanos())
          .ifPresent(
              pause ->
                  tell(
                      OperatorCode.LONG_PAUSE,
                      Subject.of("waiting"),
                      "what was due came " + pause.toSeconds() + " s late"));
    }

    @Override
    public void lookForUnexpected() {
      unexpected.look().forEach(news -> parts.events().accept(new VolumeEvent.Noticed(news)));
    }

    @Override
    public Optional<Failure> overmounted() {
      return overmounts.seen();
    }
  }

  // ---- what is known

  /** Why a mount would be refused by what is on record, if it would. */
  public Optional<OperatorMessage> refusal(MountRequest request) {
    VolumeIdentity identity = new VolumeIdentity(request.plugin(), request.handle());
    Subject subject =
        Results.subject(parts.layout(), "mounting", identity, Optional.of(request.usage()));
    Optional<VolumeIdentity> owner = identity(request.usage()).filter(it -> !it.equals(identity));
    if (owner.isPresent()) {
      return Optional.of(Messages.of(OperatorCode.OPTIONS_DIFFER, subject, otherwise(owner.get())));
    }
    Requests requests = new Requests(identity, parts.layout(), parts.rules());
    return record(identity)
        .flatMap(
            known ->
                Admission.refusal(
                    known,
                    requests.goal(request, known.plan().staged(), known.claim(request.usage())),
                    parts.rules()))
        .map(failure -> Messages.of(failure.code(), subject, failure.seen()));
  }

  private static String otherwise(VolumeIdentity owner) {
    return "the use is on record for " + owner + "; these differ: plugin or volume handle";
  }

  /** Whether a use is on record as present, and the mount table shows it. */
  public boolean hasMount(UsageKey usage) {
    Optional<VolumeIdentity> identity = identity(usage);
    Optional<PathRecord> path =
        identity
            .flatMap(this::record)
            .flatMap(record -> record.target(usage))
            .map(TargetRecord::path)
            .filter(at -> at.is(PathStatus.PRESENT));
    if (path.isEmpty()) {
      return false;
    }
    Optional<Evidence> evidence = path.get().evidence();
    List<Sighting> stack = parts.kernel().at(parts.layout().target(identity.orElseThrow(), usage));
    return evidence.isEmpty()
        || (!stack.isEmpty() && stack.get(stack.size() - 1).evidence().looksLike(evidence.get()));
  }

  /**
   * Proves that nothing of a use is left on this node, or says what is.
   *
   * @param identity which volume it was of, where that is known
   */
  public NodeReceipt receipt(UsageKey usage, long epoch, Optional<VolumeIdentity> identity) {
    Subject subject = Subject.of("proving that nothing is left of").by(usage);
    Optional<Failure> covered = overmounts.seen();
    if (covered.isPresent()) {
      throw Results.refused(covered.get().code(), subject, covered.get().seen());
    }
    if (identity(usage).isPresent()) {
      throw Results.refused(
          OperatorCode.RECEIPT_REFUSED, subject, "it is on record, or something is asked for it");
    }
    Map<VolumeIdentity, VolumeRecord> records = new TreeMap<>();
    actors()
        .forEach(actor -> actor.view().record().ifPresent(it -> records.put(actor.identity(), it)));
    return new Receipts(parts, usage, identity, records).receipt(epoch);
  }

  private Optional<VolumeRecord> record(VolumeIdentity identity) {
    lock.lock();
    try {
      return Optional.ofNullable(actors.get(identity)).flatMap(actor -> actor.view().record());
    } finally {
      lock.unlock();
    }
  }

  private List<VolumeActor> actors() {
    lock.lock();
    try {
      return List.copyOf(actors.values());
    } finally {
      lock.unlock();
    }
  }

  /** What is known of every volume. */
  public List<VolumeStatus> volumes() {
    List<VolumeStatus> all = new ArrayList<>();
    for (VolumeActor actor : actors()) {
      View view = actor.view();
      view.record().ifPresent(record -> all.add(status(record, view.trouble())));
    }
    return all;
  }

  private VolumeStatus status(VolumeRecord record, Optional<OperatorMessage> trouble) {
    List<VolumeStatus.Use> list = new ArrayList<>();
    for (TargetRecord target : record.targets().values()) {
      list.add(
          new VolumeStatus.Use(
              target.usage(),
              target.path().status(),
              target.readOnly(),
              parts.layout().target(record.identity(), target.usage()).toPath()));
    }
    return new VolumeStatus(
        record.identity().plugin(),
        record.identity().handle(),
        record.staging().status(),
        list,
        record.plan().block(),
        trouble);
  }

  /** What is being done with the uses that this accepts, for people. */
  public Explanation explain(String subject, Predicate<UsageKey> about) {
    return new Explaining(this::status, parts.clock().nanos()).of(subject, actors(), about);
  }

  // ---- the host's list

  /** What would be done for a host that wants these uses and no others. */
  public CleanupPlan plan(Collection<LiveMount> live) {
    return new CleanupPlan(planned(live).stream().map(Planned::item).toList());
  }

  private List<Planned> planned(Collection<LiveMount> live) {
    List<VolumeRecord> records = new ArrayList<>();
    actors().forEach(actor -> actor.view().record().ifPresent(records::add));
    return Reconciling.plan(parts.layout(), records, List.copyOf(live), unknown);
  }

  /** Does it. From now on what is not wanted is also taken away in the background. */
  public Reconciliation reconcile(Collection<LiveMount> live) {
    long now = operations.get();
    Map<UsageKey, MountRequest> requests = new HashMap<>();
    for (LiveMount mount : live) {
      if (mount instanceof LiveMount.Wanted wanted) {
        requests.put(wanted.usage(), wanted.request());
      }
    }
    List<Planned> planned = planned(live);
    name(Reconciling.directories(live.stream().map(LiveMount::usage).toList()));
    heard = true;
    ReconcileRun run =
        new ReconcileRun(
            planned, part -> perform(part, requests, now), parts.settings().threads() * 4);
    run.start();
    remember(live);
    actors().forEach(VolumeActor::wake);
    audit();
    Set<PluginId> plugins = new TreeSet<>();
    actors().forEach(actor -> plugins.add(actor.identity().plugin()));
    plugins.forEach(watch::tellIfGone);
    for (Planned part : planned) {
      if (part.item().action() == CleanupPlan.Action.WAIT_FOR_HOST) {
        tell(
            OperatorCode.REQUEST_NEEDED,
            part.item().usage().map(Subject.of("looking after a use")::by).orElseThrow(),
            part.item().reason().text());
      }
    }
    if (parts.state().load().doubts().isEmpty()) {
      return run;
    }
    // What the state could not vouch for was compared with the world, and is on record anew.
    run.done().thenRun(() -> parts.state().settle());
    return run;
  }

  /** Keeps how uses are wanted that are there already, should they have to be made anew. */
  private void remember(Collection<LiveMount> live) {
    lock.lock();
    try {
      for (LiveMount mount : live) {
        VolumeIdentity identity = uses.get(mount.usage());
        VolumeActor actor = identity == null ? null : actors.get(identity);
        if (actor != null
            && mount instanceof LiveMount.Wanted wanted
            && new VolumeIdentity(wanted.request().plugin(), wanted.request().handle())
                .equals(identity)) {
          actor.remember(wanted.request());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Gives uses of which only the directory is left their names again. */
  private void name(Map<String, UsageKey> directories) {
    lock.lock();
    try {
      for (VolumeActor actor : actors.values()) {
        Set<UsageKey> left =
            actor.view().record().map(known -> known.targets().keySet()).orElse(Set.of());
        for (UsageKey stray : left) {
          UsageKey usage = Reconciling.named(stray, directories);
          if (!usage.equals(stray) && uses.putIfAbsent(usage, actor.identity()) == null) {
            actor.name(usage);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes notice of what has appeared since the start for uses that nobody remembers. */
  private void audit() {
    Map<MountPath, List<Sighting>> byVolume;
    try {
      List<Sighting> mounted = parts.kernel().beneath(parts.layout().volumes());
      byVolume = Strays.byVolume(parts.layout(), mounted);
      unexpected.among(mounted).forEach(it -> parts.events().accept(new VolumeEvent.Noticed(it)));
    } catch (MountException e) {
      // Each operation looks for itself.
      return;
    }
    for (VolumeActor actor : actors()) {
      List<Sighting> there = byVolume.get(parts.layout().volume(actor.identity()));
      // Only those look once more for themselves that have to: one look costs a look at the table.
      if (there != null && actor.view().record().filter(it -> hasStrays(it, there)).isPresent()) {
        actor.notice();
      }
      actor.inspect();
    }
    graveyard.haunt(byVolume.keySet());
  }

  private boolean hasStrays(VolumeRecord record, List<Sighting> there) {
    return !Strays.with(parts.layout(), record, there).equals(record);
  }

  private CompletableFuture<?> perform(
      Planned part, Map<UsageKey, MountRequest> requests, long now) {
    Optional<UsageKey> usage = part.item().usage();
    return switch (part.item().action()) {
      case MOUNT -> mount(Objects.requireNonNull(requests.get(usage.orElseThrow())));
      case RELEASE ->
          submit(
              part.identity().orElseThrow(),
              new OperationId(operations.incrementAndGet()),
              new Wish.Release(usage.<Goal>map(Goal.Release::new).orElse(new Goal.Settle()), now),
              VolumeEvent.Operation.CLEAN_UP,
              usage,
              Release.class);
      case WAIT_FOR_HOST, LEAVE -> CompletableFuture.completedFuture(Release.NOT_LAST);
    };
  }

  /**
   * A plugin has come, come back, gone, or may be another process: what it owes is tried now, and
   * what it has mounted is looked at.
   */
  public void pluginChanged(PluginId plugin) {
    if (!closing) {
      watch.changed(plugin);
    }
  }

  private List<VolumeActor> of(PluginId plugin) {
    return actors().stream().filter(actor -> actor.identity().plugin().equals(plugin)).toList();
  }

  private void tell(OperatorCode code, Subject subject, String seen) {
    parts.events().accept(new VolumeEvent.Noticed(Messages.of(code, subject, seen)));
  }

  // ---- plugins that are to be stopped

  /** Mounts nothing new with a plugin, until that is closed. */
  public PluginDrain drain(PluginId plugin, Duration limit) {
    return drains.begin(plugin, limit);
  }

  /** The volumes of a plugin that are on record or asked for, and who uses them. */
  private SortedMap<VolumeIdentity, List<UsageKey>> left(PluginId plugin) {
    SortedMap<VolumeIdentity, List<UsageKey>> left = new TreeMap<>();
    lock.lock();
    try {
      for (VolumeActor actor : actors.values()) {
        if (actor.identity().plugin().equals(plugin)) {
          left.put(actor.identity(), uses(actor));
        }
      }
    } finally {
      lock.unlock();
    }
    return left;
  }

  private static List<UsageKey> uses(VolumeActor actor) {
    Stream<UsageKey> recorded =
        actor.view().record().stream().flatMap(record -> record.targets().keySet().stream());
    Stream<UsageKey> wanted = actor.pending > 0 ? actor.indexed.stream() : Stream.empty();
    return Stream.concat(recorded, wanted).distinct().sorted().toList();
  }

  // ---- the end

  /** Takes no new operations; ends when those that run have, with how many there were. */
  public CompletableFuture<Integer> close() {
    List<CompletableFuture<Object>> left;
    List<VolumeActor> all;
    lock.lock();
    try {
      closing = true;
      left = List.copyOf(open.values());
      all = List.copyOf(actors.values());
    } finally {
      lock.unlock();
    }
    graveyard.close();
    drains.close();
    rounds.close();
    all.forEach(VolumeActor::close);
    return CompletableFuture.allOf(left.toArray(CompletableFuture[]::new))
        .handle(
            (nothing, failure) -> {
              stopped = true;
              return left.size();
            });
  }

  /** Tells those who still wait that what they wait for goes on with the next start. */
  public void abandon() {
    stopped = true;
    Map<OperationId, CompletableFuture<Object>> left;
    lock.lock();
    try {
      left = new TreeMap<>(Comparator.comparingLong(OperationId::value));
      left.putAll(open);
    } finally {
      lock.unlock();
    }
    left.forEach(
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
