package io.csi4j.volume.internal.engine;

import io.csi4j.mount.MountException;
import io.csi4j.mount.MountPath;
import io.csi4j.volume.MountRequest;
import io.csi4j.volume.OnDeadMount;
import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.OperatorMessage;
import io.csi4j.volume.PathStatus;
import io.csi4j.volume.PluginId;
import io.csi4j.volume.Release;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.VolumeEvent;
import io.csi4j.volume.VolumeException;
import io.csi4j.volume.claim.ClaimStanding;
import io.csi4j.volume.claim.NodeClaims;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Lifecycle;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.lifecycle.Phase;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.port.Answer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.Mailbox;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.PluginAnswer;
import io.csi4j.volume.internal.port.Scheduler;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeIdentity;
import io.csi4j.volume.internal.record.VolumeRecord;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One volume: its operations one after the other, and what nobody asks for any more. Everything but
 * {@link #view} is used in its mailbox only.
 */
final class VolumeActor {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final Voice voice;
  private final Engineering engine;
  private final Mailbox mailbox;
  private final Memory memory;
  private final Requests requests;
  private final TurnRunner runner;
  private final DeadMounts dead = new DeadMounts();
  private final ClaimedUses claimed = new ClaimedUses();
  private final Inherited inherited = new Inherited();
  private final Deque<Operation> waiting = new ArrayDeque<>(1);

  /** The uses whose names are to be put back as soon as nothing is being done. */
  private final Set<UsageKey> names = new HashSet<>(0);

  private @Nullable Operation current;
  private VolumeEvent.@Nullable Started started;
  private long begun;
  private boolean isTold;

  /** Whether all there is appeared after the volume had been given back. */
  private boolean isLate;

  private Scheduler.@Nullable Timer background;
  private int backgroundTries;

  /** Whether nothing is tried in the background before somebody has looked and asked again. */
  private boolean isHeld;

  private @Nullable OperatorMessage trouble;

  /** The uses that somebody has asked about since the start. */
  private Set<UsageKey> commanded = Set.of();

  private volatile View view = View.NOTHING;

  /** How many operations have been asked for and not ended; under the engine's lock. */
  int pending;

  /** The uses that lead to this volume; under the engine's lock. */
  final Set<UsageKey> indexed = new HashSet<>(2);

  /** What an actor needs of the engine. */
  interface Engineering {

    /** Whether the host has said what it wants. */
    boolean heardFromHost();

    /** Whether no new operations are begun. */
    boolean isClosing();

    /** Whether no new steps are made. */
    boolean isStopped();

    /** Whether nothing new is mounted with a plugin. */
    boolean isDrained(PluginId plugin);

    /** The number of the last time that a use was asked for; 0 for never. */
    long askedFor(UsageKey usage);

    /** The volume was given back. */
    void buried(Tombstone tombstone);

    /** A use of which only the directory was left has its name again. */
    void named(VolumeActor actor, UsageKey usage);

    /** Nothing is being done with the volume; perhaps nothing is known of it any more. */
    void idle(VolumeActor actor);

    /** A new operation in the background. */
    Operation background(Wish wish, VolumeEvent.Operation kind, Optional<UsageKey> usage);

    /** A plugin was heard of: perhaps it is another process now, or can do more or less. */
    void heard(PluginId plugin, String instance, Optional<Boolean> stages);

    /** What was due then comes only now. */
    void late(long due);

    /** Something was mounted where nobody asked for it, perhaps. */
    void lookForUnexpected();

    /** Why nothing can be done in the directory of the manager, if it cannot. */
    Optional<Failure> overmounted();
  }

  /** The runner's steps are those of this volume. */
  private final class Owner implements TurnRunner.Owner {

    @Override
    public boolean isStopped() {
      return engine.isStopped();
    }

    @Override
    public void changed() {
      show();
    }

    @Override
    public void heard(NodePlugin from) {
      engine.heard(identity.plugin(), from.instance(), Optional.empty());
    }

    @Override
    public void late(long due) {
      engine.late(due);
    }

    @Override
    public void buried(Tombstone tombstone) {
      engine.buried(tombstone);
    }

    @Override
    public void ended(Operation operation, Result result) {
      finish(operation, result);
    }
  }

  VolumeActor(VolumeIdentity identity, EngineParts parts, Steps steps, Engineering engine) {
    this.identity = identity;
    this.parts = parts;
    this.engine = engine;
    voice = new Voice(identity, parts);
    mailbox = new Mailbox(parts.scheduler(), this::broke);
    memory = new Memory(identity, parts, steps);
    requests = new Requests(identity, parts.layout(), parts.rules());
    runner = new TurnRunner(identity, parts, steps, memory, voice, mailbox, new Owner());
  }

  VolumeIdentity identity() {
    return identity;
  }

  /** What others may see. */
  View view() {
    return view;
  }

  // ---- what is found

  /** Before anything is done: what was found at the start. */
  void restore(VolumeRecord found) {
    memory.restore(found);
    inherited.restore(found);
    show();
  }

  /** The same for a volume that had been given back. */
  void restoreLate(VolumeRecord found) {
    restore(found);
    isLate = true;
  }

  /** Something has appeared of a volume that was given back. */
  void appear(VolumeRecord late) {
    mailbox.put(
        () -> {
          if (memory.record().isEmpty() && current == null) {
            restoreLate(late);
            consider();
          }
        });
  }

  /** Takes notice of what has appeared for uses that nobody remembers. */
  void notice() {
    mailbox.put(
        () -> {
          if (current == null) {
            memory.record().map(memory::withStrays).ifPresent(memory::set);
            show();
            consider();
          }
        });
  }

  /** Looks whether mounts are dead; who serves them may be asked, and nobody waits for that. */
  void inspect() {
    mailbox.put(this::lookForDead);
  }

  /** Looks whether what is mounted is still claimed. */
  void confirm() {
    mailbox.put(
        () -> {
          for (TargetRecord use : claimed.mounted(memory.record(), parts.clock().nanos())) {
            ClaimQuestion.ask(
                parts,
                use.usage(),
                use.claim().epoch(),
                standing -> mailbox.put(() -> confirmed(use.usage(), use.claim(), standing)));
          }
        });
  }

  private void confirmed(UsageKey usage, ClaimMark claim, ClaimStanding standing) {
    Optional<TargetRecord> use =
        memory
            .use(usage)
            .filter(it -> it.path().is(PathStatus.PRESENT))
            .filter(it -> it.claim().epoch() == claim.epoch());
    Optional<NodeClaims> terms = parts.claims().terms();
    if (use.isEmpty() || terms.isEmpty() || engine.isClosing()) {
      return;
    }
    ClaimedUses.Verdict verdict =
        claimed.heard(use.get(), standing, terms.get(), parts.clock().nanos());
    verdict.notice().ifPresent(voice::tell);
    if (verdict.isOver() && (engine.heardFromHost() || commanded.contains(usage))) {
      take(
          engine.background(
              new Wish.Release(new Goal.Release(usage), Long.MAX_VALUE),
              VolumeEvent.Operation.CLEAN_UP,
              Optional.of(usage)));
    }
  }

  /** Another process has become the plugin. */
  void replaced() {
    mailbox.put(
        () -> {
          dead.again();
          awake();
          lookForDead();
        });
  }

  /** Remembers how a use is wanted, should it have to be made anew. */
  void remember(MountRequest request) {
    mailbox.put(
        () -> {
          keep(request);
          consider();
        });
  }

  private void keep(MountRequest request) {
    if (DeadMounts.repairs(plugin().policy().onDeadMount())) {
      dead.remember(request);
    }
  }

  private void lookForDead() {
    if (plugin().policy().onDeadMount() == OnDeadMount.LEAVE) {
      return;
    }
    for (TargetRecord use : memory.record().map(it -> it.targets().values()).orElse(List.of())) {
      if (use.path().is(PathStatus.PRESENT) && !dead.isDead(use.usage())) {
        try {
          parts
              .kernel()
              .ask(
                  parts.layout().target(identity, use.usage()),
                  health -> mailbox.put(() -> found(use.usage(), health)));
        } catch (MountException e) {
          // The next look at the table, which comes soon, says so.
          LOG.log(Level.DEBUG, "How the mounts of " + identity + " are is not known.", e);
        }
      }
    }
  }

  private void found(UsageKey usage, Sighting.Health health) {
    boolean isThere =
        memory.use(usage).filter(use -> use.path().is(PathStatus.PRESENT)).isPresent();
    if (isThere && health == Sighting.Health.DEAD && dead.found(usage)) {
      OnDeadMount policy = plugin().policy().onDeadMount();
      voice.tell(
          new Notice(
              OperatorCode.MOUNT_DEAD,
              "its server has ended; the policy of the plugin is " + policy,
              Optional.of(usage)));
      consider();
    } else if (isThere && health == Sighting.Health.SILENT) {
      voice.tell(
          new Notice(
              OperatorCode.MOUNT_UNRESPONSIVE,
              "its server was asked, and has not answered",
              Optional.of(usage)));
    }
  }

  /** Gives a use of which only the directory is left its name again; it is in doubt. */
  void name(UsageKey usage) {
    mailbox.put(
        () -> {
          names.add(usage);
          if (current == null) {
            nameAll();
          }
        });
  }

  private void nameAll() {
    for (UsageKey usage : names) {
      if (memory.name(usage)) {
        engine.named(this, usage);
        show();
      }
    }
    names.clear();
  }

  // ---- operations in line

  /** Does this when everything before it is done. */
  void submit(Operation operation) {
    mailbox.put(() -> take(operation));
  }

  /** Ends the operations that have not begun. */
  void close() {
    mailbox.put(
        () -> {
          if (background != null) {
            background.cancel();
          }
          for (Operation operation : List.copyOf(waiting)) {
            voice.refuse(operation, OperatorCode.ENGINE_CLOSED, "the manager is being closed");
          }
          waiting.clear();
        });
  }

  private void take(Operation operation) {
    if (engine.isClosing()) {
      voice.refuse(operation, OperatorCode.ENGINE_CLOSED, "the manager is being closed");
      engine.idle(this);
      return;
    }
    if (!isBackground(operation)) {
      isHeld = false;
      supersede(operation);
      Set<UsageKey> more = new HashSet<>(commanded);
      operation.usage().ifPresent(more::add);
      commanded = more;
    }
    if (joins(operation)) {
      return;
    }
    if (waiting.size() >= parts.settings().waiters()) {
      voice.refuse(
          operation, OperatorCode.TOO_MANY_WAITERS, waiting.size() + " operations wait already");
      return;
    }
    waiting.add(operation);
    show();
    proceed();
  }

  /** Ends the mounts of a use that is to be released: those that wait, and the one that retries. */
  private void supersede(Operation release) {
    if (!(release.wish() instanceof Wish.Release)) {
      return;
    }
    for (Operation mount : List.copyOf(waiting)) {
      if (mount.wish() instanceof Wish.Mount && mount.usage().equals(release.usage())) {
        waiting.remove(mount);
        voice.refuse(mount, OperatorCode.SUPERSEDED, "its release was asked for before it began");
      }
    }
    Operation running = current;
    if (running != null
        && running.wish() instanceof Wish.Mount
        && running.usage().equals(release.usage())) {
      if (runner.turn().isPresent()) {
        runner.supersede();
      } else {
        end(
            running,
            new Result.Refused(
                Failure.of(OperatorCode.SUPERSEDED, "its release was asked for before it began")));
      }
    }
  }

  /** Shares the operation that wants the same, if it is the last in line. */
  private boolean joins(Operation operation) {
    Operation last = waiting.peekLast();
    Operation same = last == null ? current : last;
    if (same == null || !same.isSame(operation.wish())) {
      return false;
    }
    same.end()
        .whenComplete(
            (value, failure) -> {
              if (failure != null) {
                operation.end().completeExceptionally(failure);
              } else {
                operation.end().complete(value);
              }
            });
    return true;
  }

  /** Begins the next operation, if none is being done. */
  private void proceed() {
    if (current != null && parts.rules().on(Rule.ONE_AT_A_TIME)) {
      return;
    }
    nameAll();
    Operation operation = waiting.poll();
    if (operation == null) {
      consider();
      engine.idle(this);
      return;
    }
    current = operation;
    runner.clear();
    begun = parts.clock().nanos();
    started =
        new VolumeEvent.Started(
            operation.id(), operation.kind(), identity.plugin(), operation.usage());
    isTold = !isBackground(operation) || Background.isTold(backgroundTries);
    if (isTold) {
      parts.events().accept(started);
    }
    show();
    begin(operation);
  }

  private void begin(Operation operation) {
    NodePlugin plugin = plugin();
    Wish wish = operation.wish();
    Optional<Failure> covered = engine.overmounted();
    if (covered.isPresent()) {
      operation.usage().filter(use -> wish instanceof Wish.Release).ifPresent(memory::release);
      end(
          operation,
          wish instanceof Wish.Release || wish instanceof Wish.Repair
              ? new Result.Unfinished(covered.get())
              : new Result.Refused(covered.get()));
    } else if (wish instanceof Wish.Repair) {
      ask(operation, plugin, up -> repair(operation, plugin));
    } else if (wish instanceof Wish.Release release) {
      beginRelease(operation, release, plugin);
    } else if (wish instanceof Wish.Mount mount) {
      parts.points().at(CrashPoint.P1);
      beginMount(operation, mount.request(), plugin);
    } else {
      beginRead(operation, plugin);
    }
  }

  private NodePlugin plugin() {
    return parts
        .plugins()
        .find(identity.plugin())
        .orElseGet(() -> new AbsentPlugin(parts.plugins().known()));
  }

  private static boolean isBackground(Operation operation) {
    return operation.kind() == VolumeEvent.Operation.CLEAN_UP
        || operation.kind() == VolumeEvent.Operation.REPAIR;
  }

  /** Begins what it takes next to make anew what is dead, or ends. */
  private void repair(Operation operation, NodePlugin plugin) {
    Optional<VolumeRecord> known = memory.record();
    dead.keepOnly(known);
    Optional<Goal> goal =
        known.flatMap(record -> dead.next(plugin.policy().onDeadMount(), record, requests));
    if (goal.isPresent()) {
      runner.begin(operation, goal.get(), known.orElseThrow(), plugin);
    } else {
      end(operation, new Result.Withdrawn());
    }
  }

  private void beginRelease(Operation operation, Wish.Release release, NodePlugin plugin) {
    Optional<UsageKey> usage = operation.usage();
    if (usage.isPresent() && engine.askedFor(usage.get()) > release.unlessAskedAfter()) {
      end(operation, new Result.Released(Release.NOT_LAST));
      return;
    }
    Optional<VolumeRecord> known = memory.record().map(memory::withStrays);
    if (known.isEmpty()) {
      end(operation, new Result.Released(Release.UNKNOWN));
      return;
    }
    memory.set(known.get());
    usage.flatMap(inherited::releasing).ifPresent(voice::tell);
    if (!memory.isQuarantined(plugin)) {
      runner.begin(operation, release.goal(), known.get(), plugin);
      return;
    }
    // Another process is not working on the calls of the one before it: a look shows which it is.
    plugin.facts(
        answer ->
            ifCurrent(
                operation,
                () -> {
                  heard(plugin, answer);
                  runner.begin(operation, release.goal(), known.get(), plugin);
                }));
  }

  private void heard(NodePlugin plugin, PluginAnswer answer) {
    if (answer instanceof PluginAnswer.Up up) {
      engine.heard(identity.plugin(), plugin.instance(), Optional.of(up.stages()));
    }
  }

  private void beginMount(Operation operation, MountRequest request, NodePlugin plugin) {
    keep(request);
    inherited.mounting(request.usage()).ifPresent(voice::tell);
    Optional<VolumeRecord> known = memory.record();
    boolean isThere =
        memory.use(request.usage()).filter(use -> use.path().is(PathStatus.PRESENT)).isPresent();
    if (known.isPresent() && isThere) {
      // What is there is given again without asking the plugin what it can do.
      publish(operation, request, known.get().plan().staged(), plugin);
      return;
    }
    if (engine.isDrained(identity.plugin())) {
      end(operation, new Result.Refused(Failure.of(OperatorCode.PLUGIN_DRAINING, "")));
      return;
    }
    ask(operation, plugin, up -> publish(operation, request, isStaged(up), plugin));
  }

  /** Whether a volume is staged is decided at its first use, and kept until the last. */
  private boolean isStaged(PluginAnswer.Up up) {
    return memory
        .record()
        .filter(known -> !known.targets().isEmpty() && known.plan().isKnown())
        .map(known -> known.plan().staged())
        .orElse(up.stages());
  }

  private void publish(
      Operation operation, MountRequest request, boolean stages, NodePlugin plugin) {
    Goal.Publish goal =
        requests.goal(
            request,
            stages,
            memory.use(request.usage()).map(TargetRecord::claim).orElse(ClaimMark.NONE));
    VolumeRecord known = memory.before(goal, request);
    if (!known.targets().isEmpty()) {
      memory.set(known);
    }
    runner.begin(operation, goal, known, plugin);
  }

  /** Expanding and statistics: one call about a target that is there. */
  private void beginRead(Operation operation, NodePlugin plugin) {
    UsageKey usage = operation.usage().orElseThrow();
    Optional<Failure> refusal = Reading.refusal(memory.use(usage));
    if (refusal.isPresent()) {
      end(operation, new Result.Refused(refusal.get()));
      return;
    }
    VolumeRecord known = memory.record().orElseThrow();
    ask(
        operation,
        plugin,
        up -> {
          Optional<Failure> missing = Reading.refusal(operation.wish(), up);
          if (missing.isPresent()) {
            end(operation, new Result.Refused(missing.get()));
            return;
          }
          plugin.call(
              requests.read(operation.wish(), usage, known),
              answer -> ifCurrent(operation, () -> readEnded(operation, answer)));
        });
  }

  private void readEnded(Operation operation, Answer answer) {
    Optional<Object> value = Reading.value(operation.wish(), answer);
    if (value.isEmpty()) {
      end(operation, new Result.Refused(Reading.failure(answer)));
      return;
    }
    ended(Optional.empty());
    operation.end().complete(value.get());
    proceed();
  }

  /** Asks the plugin what it can do, and goes on if it is there. */
  private void ask(Operation operation, NodePlugin plugin, Consumer<PluginAnswer.Up> then) {
    plugin.facts(
        answer ->
            ifCurrent(
                operation,
                () -> {
                  if (answer instanceof PluginAnswer.Up up) {
                    heard(plugin, up);
                    then.accept(up);
                  } else {
                    end(operation, new Result.Refused(Voice.down((PluginAnswer.Down) answer)));
                  }
                }));
  }

  /** Does this in the mailbox, unless the operation has ended meanwhile. */
  private void ifCurrent(Operation operation, Runnable work) {
    mailbox.put(
        () -> {
          if (current != null && current.id().equals(operation.id())) {
            work.run();
          }
        });
  }

  // ---- the end of operations

  private void finish(Operation operation, Result result) {
    boolean isDone = result instanceof Result.Published || result instanceof Result.Withdrawn;
    boolean isNew = runner.turn().filter(turn -> turn.sent().contains(Verb.PUBLISH)).isPresent();
    if (result instanceof Result.Published && isNew) {
      runner.turn().flatMap(Turn::usage).ifPresent(this::isWell);
    }
    if (operation.wish() instanceof Wish.Repair && isDone && !engine.isStopped()) {
      repair(operation, plugin());
      return;
    }
    if (result instanceof Result.Released) {
      operation.usage().flatMap(inherited::released).ifPresent(voice::tell);
    }
    if (memory.forgetIfEmpty()) {
      if (isLate) {
        voice.tell(
            new Notice(
                OperatorCode.ORPHAN_CLEANED,
                "it had appeared after the volume was given back",
                Optional.empty()));
      }
      isLate = false;
    }
    if (result instanceof Result.Published) {
      isLate = false;
      parts.points().at(CrashPoint.P17);
    }
    end(operation, result);
  }

  /** The mount of a use was made, which may have been dead before. */
  private void isWell(UsageKey usage) {
    if (dead.isDead(usage)) {
      dead.isWell(usage);
      voice.tell(
          new Notice(
              OperatorCode.MOUNT_RESTORED,
              "the plugin has mounted it again, and the mount table shows it",
              Optional.of(usage)));
    }
  }

  private void end(Operation operation, Result result) {
    Optional<VolumeException> failure = voice.failure(operation, result);
    boolean isBackground = isBackground(operation);
    if (failure.isPresent() && operation.wish() instanceof Wish.Repair) {
      dead.failed();
    }
    if (failure.filter(it -> it.code() == OperatorCode.MOUNT_NOT_VISIBLE).isPresent()) {
      engine.lookForUnexpected();
    }
    dead.keepOnly(memory.record());
    trouble =
        failure.map(VolumeException::operatorMessage).orElse(owed().isPresent() ? trouble : null);
    isHeld = result instanceof Result.Held held && Lifecycle.isForPeople(held.code());
    if (failure.isPresent() && isTold && operation.wish() instanceof Wish.Release) {
      operation.usage().ifPresent(this::tellWhoHolds);
    }
    backgroundTries = isBackground && failure.isPresent() ? backgroundTries + 1 : 0;
    ended(failure);
    if (failure.isPresent()) {
      operation.end().completeExceptionally(failure.get());
    } else if (result instanceof Result.Released released) {
      operation.end().complete(released.release());
    } else if (result instanceof Result.Withdrawn) {
      operation.end().complete(Release.NOT_LAST);
    } else {
      UsageKey usage = operation.usage().orElseThrow();
      operation
          .end()
          .complete(
              Results.mounted(
                  parts.layout(),
                  identity,
                  usage,
                  memory.record().orElseThrow().plan().block(),
                  memory.use(usage).filter(TargetRecord::readOnly).isPresent()));
    }
    proceed();
  }

  private void ended(Optional<VolumeException> failure) {
    current = null;
    runner.clear();
    VolumeEvent.Started start = started;
    if (isTold && start != null) {
      parts
          .events()
          .accept(
              new VolumeEvent.Ended(
                  start,
                  Duration.ofNanos(parts.clock().nanos() - begun),
                  failure.map(VolumeException::operatorMessage)));
    }
    show();
  }

  /** Something here went wrong in a way that it should not: nobody is left without an answer. */
  private void broke(Throwable failure) {
    LOG.log(Level.ERROR, "Working on " + identity + " failed; report this.", failure);
    Operation operation = current;
    if (operation == null) {
      return;
    }
    if (operation.wish() instanceof Wish.Release) {
      // Its caller is told that it goes on.
      operation.usage().ifPresent(memory::release);
    }
    end(
        operation,
        new Result.Unfinished(
            Failure.of(
                OperatorCode.STEP_FAILED,
                "it ended with " + failure.getClass().getSimpleName(),
                failure)));
  }

  /** Tells who keeps a target in use that cannot be given back. */
  private void tellWhoHolds(UsageKey usage) {
    MountPath target = parts.layout().target(identity, usage);
    try {
      if (!parts.kernel().at(target).isEmpty()) {
        voice.tell(
            new Notice(
                OperatorCode.TARGET_BUSY,
                "it is still mounted, and in use by: " + parts.kernel().holders(target),
                Optional.of(usage)));
      }
    } catch (MountException e) {
      LOG.log(Level.DEBUG, "Who holds " + target + " could not be found out.", e);
    }
  }

  private void show() {
    view =
        new View(
            memory.record(),
            Optional.ofNullable(current).map(this::activity),
            Optional.ofNullable(trouble));
  }

  private View.Activity activity(Operation operation) {
    Optional<Turn> turn = runner.turn();
    return new View.Activity(
        operation,
        turn.map(Turn::phase).orElse(Phase.LOOK_FIRST),
        begun,
        turn.map(Turn::tries).orElse(0),
        runner.lastAnswer(),
        turn.map(Turn::step)
            .filter(Step.Pause.class::isInstance)
            .map(step -> ((Step.Pause) step).time()),
        waiting.stream().flatMap(next -> next.usage().stream()).toList());
  }

  // ---- what nobody asks for any more

  /** Looks whether something is to be done in the background now. */
  void wake() {
    mailbox.put(
        () -> {
          awake();
          consider();
        });
  }

  private void awake() {
    backgroundTries = 0;
    isHeld = false;
  }

  /** Plans the next try in the background, if something is owed and may be done. */
  private void consider() {
    if (background != null) {
      background.cancel();
      background = null;
    }
    if (mayRepair()) {
      dead.needed().forEach(this::tellRequestNeeded);
    }
    if (current == null
        && !isHeld
        && !engine.isClosing()
        && (owed().isPresent() || isRepairDue())) {
      background = parts.scheduler().after(pause(), () -> mailbox.put(this::cleanUp));
    }
  }

  private boolean mayRepair() {
    return DeadMounts.repairs(plugin().policy().onDeadMount());
  }

  private void tellRequestNeeded(UsageKey usage) {
    voice.tell(
        new Notice(
            OperatorCode.REQUEST_NEEDED,
            "its mount is dead, and is made anew as soon as the host says how it is wanted",
            Optional.of(usage)));
  }

  private boolean isRepairDue() {
    return dead.isDue(
        plugin().policy().onDeadMount(),
        usage -> engine.heardFromHost() || commanded.contains(usage));
  }

  /** What is to be done without being asked, as far as it may be done before the host was heard. */
  private Optional<Goal> owed() {
    boolean mayAll = engine.heardFromHost() || !parts.rules().on(Rule.WAIT_FOR_HOST);
    return memory
        .record()
        .flatMap(known -> Lifecycle.owed(known, usage -> mayAll || commanded.contains(usage)))
        .filter(goal -> mayAll || !commanded.isEmpty());
  }

  private Duration pause() {
    return Background.pause(
        backgroundTries, plugin().policy().backgroundCap(), parts.scheduler().random());
  }

  private void cleanUp() {
    background = null;
    if (current == null && waiting.isEmpty() && !engine.isClosing()) {
      Optional<Goal> owed = owed();
      if (owed.isPresent()) {
        take(
            engine.background(
                new Wish.Release(owed.get(), Long.MAX_VALUE),
                VolumeEvent.Operation.CLEAN_UP,
                owed.get() instanceof Goal.Release release
                    ? Optional.of(release.usage())
                    : Optional.empty()));
      } else if (isRepairDue()) {
        List<UsageKey> uses = dead.uses();
        dead.begin();
        take(
            engine.background(
                new Wish.Repair(dead.requests()),
                VolumeEvent.Operation.REPAIR,
                uses.size() == 1 ? Optional.of(uses.get(0)) : Optional.empty()));
      }
    }
  }
}
