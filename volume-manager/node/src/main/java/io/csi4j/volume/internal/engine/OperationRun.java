package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.lifecycle.BrokenStep;
import io.csi4j.volume.internal.lifecycle.BrokenStep.CoveredException;
import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.lifecycle.Event;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.lifecycle.Turn.Awaited;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.NodeClaims;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs one operation of a volume at a time. Performs the steps that the lifecycle requires until
 * the operation ends. Used only in the mailbox of the volume.
 */
final class OperationRun {

  /** The time after which the engine reports that a call takes long. */
  private static final Duration SLOW = Duration.ofSeconds(10);

  /** Time limit for the servers of mounts to answer a check, and for a device to be closed. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeQueue volume;
  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final VolumeMemory memory;
  private final VolumeReport report;
  private final Mailbox mailbox;
  private final VolumeEngine engine;
  private final DeadMounts dead;

  private @Nullable Operation operation;
  private @Nullable Turn turn;
  private @Nullable String lastAnswer;
  private boolean unpublishFailed;

  /** The operation that has prepared the directories of the volume, until it uses them. */
  private @Nullable OperationId prepared;

  private boolean superseded;

  /** The kinds of faults that the plugin can report; none until the plugin was queried. */
  private HealthOffer offer = HealthOffer.NONE;

  private NodePlugin plugin = new NodePlugin.Absent(Set.of());

  /** The number of the awaited answer. An answer with an older number is late and is ignored. */
  private long generation;

  /** The timer of an attempt that waits for the plugin's retry budget. */
  private Scheduler.@Nullable Timer held;

  OperationRun(VolumeQueue volume, DeadMounts dead) {
    this.volume = volume;
    this.dead = dead;
    identity = volume.identity;
    parts = volume.parts;
    memory = volume.memory;
    report = volume.report;
    mailbox = volume.mailbox;
    engine = volume.engine;
  }

  /**
   * Returns the present position of the operation in its lifecycle; empty before the first step and
   * after the operation has ended.
   */
  Optional<Turn> turn() {
    return Optional.ofNullable(turn);
  }

  /** Returns the last answer of the plugin, if it was a failure. */
  Optional<String> lastAnswer() {
    return Optional.ofNullable(lastAnswer);
  }

  /** Returns whether the plugin's last answer to an unpublish call was a failure. */
  boolean unpublishFailed() {
    return unpublishFailed;
  }

  /**
   * Notes that the operation is no longer wanted. The operation ends at the next point where it can
   * stop.
   */
  void supersede() {
    superseded = true;
    Operation now = operation;
    Turn at = turn;
    boolean isWaiting =
        at != null
            && (at.step() instanceof Step.Pause
                || at.step() instanceof Step.Confirm
                || at.step() instanceof Step.LookUp);
    if (now != null && at != null && isWaiting && !engine.isStopped()) {
      Optional<Turn> end = at.superseded();
      if (end.isPresent()) {
        withdrawRepeat();
        generation++;
        advance(now, end.get());
      }
    }
  }

  /** Remembers which kinds of faults the plugin can report. */
  void offers(HealthOffer faults) {
    offer = faults;
  }

  /** Clears the data of the ended operation. */
  void clear() {
    withdrawRepeat();
    operation = null;
    turn = null;
    lastAnswer = null;
    unpublishFailed = false;
    report.said("");
  }

  // ---- running towards a goal

  /**
   * Performs the steps that lead to a goal.
   *
   * @param known the record of the volume before the first step
   * @param of the plugin of the volume
   */
  void goFor(Operation next, Goal goal, VolumeRecord known, NodePlugin of) {
    operation = next;
    plugin = of;
    lastAnswer = null;
    unpublishFailed = false;
    superseded = false;
    advance(next, goal.begin(known));
  }

  /**
   * Returns the situation of the volume. The engine calls no plugin while a foreign mount covers
   * the paths of the volume.
   */
  private Situation situation(NodePlugin of) {
    return memory.situation(of).barredBy(engine.foreign.covering(identity));
  }

  /** Performs steps until the operation ends or must wait for the result of a step. */
  private void advance(Operation now, Turn first) {
    Optional<Turn> next = Optional.of(first);
    while (next.isPresent()) {
      Turn at = superseded ? next.get().superseded().orElse(next.get()) : next.get();
      turn = at;
      for (Notice notice : at.notices()) {
        if (isNews(notice)) {
          report.tell(notice);
        }
      }
      Optional<Result> result = at.result();
      if (result.isEmpty() || at.record().differsFrom(at.before())) {
        memory.set(at.record());
      }
      volume.show();
      if (result.isPresent()) {
        volume.finish(now, result.get());
        return;
      }
      next = perform(now, at, at.awaited());
    }
  }

  /** Performs a step. Returns the next turn, or empty if the result of the step arrives later. */
  @SuppressWarnings("CatchThrowable") // after an exception, the effect of a step is unknown
  private <E extends Event> Optional<Turn> perform(Operation now, Turn at, Awaited<E> awaited) {
    if (awaited.step() instanceof Step.Later<E> later) {
      long expected = ++generation;
      later.by(new Performance(now, at), event -> resume(now, expected, awaited, event));
      return Optional.empty();
    }
    if (engine.isStopped()) {
      return Optional.empty();
    }
    Performance performance = new Performance(now, at);
    boolean isAsking;
    try {
      isAsking = isAsking(now, at, awaited, performance);
    } catch (Throwable broken) {
      return Optional.of(broken(at, broken));
    }
    return isAsking ? Optional.empty() : Optional.of(after(at, awaited, performance));
  }

  /** Performs a step that ends immediately, and returns the next turn. */
  @SuppressWarnings("CatchThrowable") // after an exception, the effect of a step is unknown
  private <E extends Event> Turn after(Turn at, Awaited<E> awaited, Performance performance) {
    E event;
    try {
      event = answer(awaited.step(), performance);
    } catch (Throwable broken) {
      return broken(at, broken);
    }
    at.reached().ifPresent(parts.points()::at);
    return awaited.answered(at, event, situation(plugin));
  }

  private Turn broken(Turn at, Throwable broken) {
    at.reached().ifPresent(parts.points()::at);
    return BrokenStep.after(at, broken, situation(plugin));
  }

  private <E extends Event> E answer(Step<E> step, Performance performance) {
    if (!(step instanceof Step.Look)) {
      engine
          .foreign
          .covering(identity)
          .ifPresent(
              covered -> {
                throw new CoveredException(covered);
              });
    }
    if (step instanceof Step.AtOnce<E> atOnce) {
      E event = atOnce.by(performance);
      if (step instanceof Step.Look || step instanceof Step.LookAtUses) {
        engine
            .foreign
            .moved()
            .ifPresent(
                moved -> {
                  throw new CoveredException(moved);
                });
      }
      return event;
    }
    throw new IllegalStateException("A step that does not end at once: " + step);
  }

  /**
   * Returns whether a notice must be reported. Some notices are reported only once for each plugin.
   */
  private boolean isNews(Notice notice) {
    return notice.code() != OperatorCode.HOST_DISK_SHOWN
        || engine.isFirst(notice.code(), identity.plugin());
  }

  // ---- the steps

  private MountPath staging() {
    return parts.layout().staging(identity);
  }

  private MountPath path(Optional<VolumeUse> usage) {
    return usage.map(use -> parts.layout().target(identity, use)).orElseGet(this::staging);
  }

  private boolean isFree(MountPath path) {
    return parts.kernel().at(path).isEmpty();
  }

  /** Performs the step of one turn. */
  private final class Performance implements Step.Performer {
    private final Operation now;
    private final Turn at;

    /** The mounts that this step has read, by their path. */
    private final Map<MountPath, List<Sighting>> seen = new HashMap<>(2);

    Performance(Operation now, Turn at) {
      this.now = now;
      this.at = at;
    }

    @Override
    public Event.Saved save(Step.Save step) {
      return memory.save(step);
    }

    /**
     * Removes the record of the volume if its directories are certainly gone; otherwise leaves a
     * tombstone.
     */
    @Override
    public Event.Saved forget() {
      try {
        parts.directories().syncRemovals();
        return memory.forget();
      } catch (PathProblem problem) {
        return bury();
      }
    }

    @Override
    public Event.Saved bury() {
      Tombstone tombstone = memory.tombstone(at, plugin);
      Event.Saved saved = memory.bury(tombstone);
      engine.tombstones.add(tombstone);
      return saved;
    }

    /**
     * Creates the directories of a volume. Does nothing if the volume is mounted, because then the
     * directories exist.
     */
    @Override
    public Event.Arranged prepareVolume() {
      return arranged(
          () -> {
            if (isFree(staging())) {
              parts.directories().prepareVolume(identity).forEach(report::tell);
              prepared = now.id();
            }
          });
    }

    /**
     * Creates the parent directory of a target. Does nothing if the target is mounted, because then
     * the directory exists.
     */
    @Override
    public Event.Arranged prepareUse(VolumeUse usage) {
      return arranged(
          () -> {
            if (isFree(path(Optional.of(usage)))) {
              boolean isPrepared = now.id().equals(prepared);
              prepared = null;
              parts.directories().prepareUse(identity, usage, isPrepared).forEach(report::tell);
            }
          });
    }

    /** Removes the directories of a target, unless something is mounted at the target. */
    @Override
    public Event.Arranged removeUse(VolumeUse usage) {
      if (!isFree(path(Optional.of(usage)))) {
        return new Event.Arranged(Optional.empty(), true);
      }
      return arranged(
          () -> {
            Optional<String> stray = StrayUse.directory(usage);
            if (stray.isPresent()) {
              parts.directories().removeUse(identity, stray.get());
            } else {
              parts.directories().removeUse(identity, usage);
            }
          });
    }

    @Override
    public Event.Arranged removeVolume() {
      return arranged(
          () -> {
            if (isFree(staging())) {
              VolumeLayout.Home home = parts.layout().home(identity);
              parts
                  .directories()
                  .removeVolume(identity, use -> isFree(home.target(StrayUse.of(identity, use))));
            }
          });
    }

    @Override
    public Event.Looked look(Step.Look step) {
      Event.Looked looked = looked(step);
      step.usage().ifPresent(usage -> memory.looked(usage, looked));
      return looked;
    }

    /** Returns the mounts at a path. Each step reads them only once. */
    List<Sighting> seen(MountPath path) {
      return seen.computeIfAbsent(path, parts.kernel()::at);
    }

    private Event.Looked looked(Step.Look look) {
      List<Sighting> atStaging = seen(staging());
      if (look.usage().isEmpty()) {
        return new Event.Looked(atStaging, List.of(), false, false);
      }
      MountPath target = path(look.usage());
      List<Sighting> atTarget = seen(target);
      if (at.record().plan().block()) {
        Optional<String> device = parts.kernel().device(target);
        return new Event.Looked(
            atStaging,
            atTarget,
            device.isPresent(),
            isMade(look, target, atTarget),
            device.flatMap(it -> engine.origins.objection(identity, look.usage().get(), it)),
            Optional.empty());
      }
      Optional<Sighting> top =
          atTarget.isEmpty() ? Optional.empty() : Optional.of(atTarget.get(atTarget.size() - 1));
      return new Event.Looked(
          atStaging,
          atTarget,
          false,
          isMade(look, target, atTarget),
          top.flatMap(it -> engine.origins.objection(identity, it)),
          top.flatMap(engine.origins::remark)
              .map(text -> new Notice(OperatorCode.HOST_DISK_SHOWN, text, look.usage())));
    }

    private boolean isMade(Step.Look look, MountPath target, List<Sighting> atTarget) {
      return !atTarget.isEmpty() || (look.made() && parts.directories().isMade(target));
    }

    /** Finds mounted uses that are not on record. */
    @Override
    public Event.UsesSeen lookAtUses(Step.LookAtUses step) {
      List<Sighting> mounted = memory.mountedUses();
      return new Event.UsesSeen(
          mounted.isEmpty()
              ? at.record()
              : Strays.come(parts.layout().home(identity), at.record(), mounted),
          step.elsewhere()
              ? parts.kernel().elsewhere(staging(), parts.layout().root())
              : List.of());
    }

    @Override
    public Event.Forced force(Step.Force step) {
      MountPath path = path(step.usage());
      return new Event.Forced(
          step.dead().isPresent()
              ? parts.kernel().unmountDead(path, step.dead().get())
              : parts.kernel().unmount(path));
    }

    @Override
    public void call(Step.Call step, Consumer<Event.Called> then) {
      OperationRun.this.call(now, at, step, then);
    }

    @Override
    public void confirm(Step.Confirm step, Consumer<Event.Confirmed> then) {
      boolean recordSuffices =
          parts.claims().terms().filter(NodeClaims::goesOnFromRecord).isPresent();
      ClaimChecks.ask(
          parts,
          step.usage(),
          step.epoch(),
          standing ->
              mailbox.put(() -> then.accept(new Event.Confirmed(standing, recordSuffices))));
    }

    @Override
    public void lookUp(Step.LookUp step, Consumer<Event.LookedUp> then) {
      ClaimChecks.lookUp(
          parts,
          step.usage(),
          step.epoch(),
          verdict -> mailbox.put(() -> then.accept(new Event.LookedUp(verdict))));
    }

    @Override
    public void pause(Step.Pause step, Consumer<Event.Woke> then) {
      long due = parts.clock().nanos() + step.time().toNanos();
      long expected = generation;
      parts
          .scheduler()
          .after(
              step.time(),
              () ->
                  mailbox.put(
                      () -> {
                        engine.late(due);
                        repeat(now, expected, () -> then.accept(new Event.Woke()));
                      }));
    }
  }

  /** Continues after a pause, as soon as the plugin's retry budget allows another attempt. */
  private void repeat(Operation now, long expected, Runnable then) {
    if (!isExpected(now, expected) || engine.isStopped()) {
      return;
    }
    RetryBudget.Whose whose =
        CleanupSchedule.isOf(now) ? RetryBudget.Whose.BACKGROUND : RetryBudget.Whose.CALLER;
    Runnable later =
        () -> {
          if (isExpected(now, expected)) {
            held = null;
          }
          then.run();
        };
    held = engine.retries(identity.plugin()).hold(whose, () -> mailbox.put(later)).orElse(null);
    if (held == null) {
      then.run();
    } else {
      volume.show();
    }
  }

  /** Returns whether the next attempt waits for a token from the plugin's retry budget. */
  boolean isHeldBack() {
    return held != null;
  }

  private void withdrawRepeat() {
    if (held != null) {
      held.cancel();
      held = null;
    }
  }

  /** Work on directories, which may fail with a problem of a path. */
  private interface Arrangement {
    void run() throws PathProblem;
  }

  private static Event.Arranged arranged(Arrangement work) {
    try {
      work.run();
      return new Event.Arranged(Optional.empty());
    } catch (PathProblem problem) {
      return new Event.Arranged(Optional.of(problem));
    }
  }

  // ---- checks that may not answer

  /**
   * If a step checks mounts, queries the servers of those mounts whose health is not known
   * otherwise. Returns whether an answer is awaited. A server that does not answer in time is
   * treated as alive, and is reported.
   */
  private <E extends Event> boolean isAsking(
      Operation now, Turn at, Awaited<E> awaited, Performance performance) {
    if (!(at.step() instanceof Step.Look look)
        || plugin.policy().onDeadMount() == OnDeadMount.LEAVE) {
      return false;
    }
    Set<MountPath> unanswered = new HashSet<>();
    Stream.concat(
            Stream.of(parts.layout().staging(identity)),
            look.usage().stream().map(usage -> parts.layout().target(identity, usage)))
        .filter(path -> !performance.seen(path).isEmpty() && parts.kernel().mustAsk(path))
        .forEach(unanswered::add);
    if (unanswered.isEmpty()) {
      return false;
    }
    long expected = ++generation;
    Runnable goOn = () -> looked(now, expected, awaited);
    Scheduler.Timer limit = parts.scheduler().after(PATIENCE, () -> mailbox.put(goOn));
    for (MountPath path : List.copyOf(unanswered)) {
      Consumer<Sighting.Health> answered =
          health -> {
            if (health == Sighting.Health.SILENT) {
              look.usage().filter(usage -> !path.equals(staging())).ifPresent(dead::isSilent);
            } else if (!isExpected(now, expected)) {
              // The check continued without this answer, so the mounts are checked again.
              volume.inspect();
            }
            unanswered.remove(path);
            if (unanswered.isEmpty()) {
              limit.cancel();
              goOn.run();
            }
          };
      try {
        parts
            .kernel()
            .ask(identity.plugin(), path, health -> mailbox.put(() -> answered.accept(health)));
      } catch (MountException e) {
        // The step runs after the time limit, reads the mounts itself and reports the failure.
        LOG.log(Level.DEBUG, "The server of " + path + " could not be asked.", e);
      }
    }
    return true;
  }

  private <E extends Event> void looked(Operation now, long expected, Awaited<E> awaited) {
    Turn at = turn;
    if (at != null && isExpected(now, expected) && !engine.isStopped()) {
      generation++;
      Turn present = current(at);
      advance(now, after(present, awaited, new Performance(now, present)));
    }
  }

  // ---- calling the plugin

  private void call(Operation now, Turn at, Step.Call call, Consumer<Event.Called> then) {
    if (call.verb() == Verb.UNPUBLISH && at.record().plan().block()) {
      withoutDevice(now, path(call.usage()), () -> callNow(now, at, call, then));
    } else {
      callNow(now, at, call, then);
    }
  }

  /**
   * Continues once this manager no longer holds the device of a use open, because a plugin cannot
   * remove an open device. Waits only a limited time for the device to close.
   */
  private void withoutDevice(Operation now, MountPath target, Runnable then) {
    long expected = generation;
    AtomicBoolean isGoingOn = new AtomicBoolean();
    Runnable goOn =
        () ->
            mailbox.put(
                () -> {
                  if (isExpected(now, expected) && isGoingOn.compareAndSet(false, true)) {
                    then.run();
                  }
                });
    if (parts.kernel().letGo(target, goOn)) {
      parts.scheduler().after(PATIENCE, goOn);
    } else {
      then.run();
    }
  }

  @SuppressWarnings("CatchThrowable") // after an exception, the effect of the call is unknown
  private void callNow(Operation now, Turn at, Step.Call call, Consumer<Event.Called> then) {
    if (engine.isStopped()) {
      return;
    }
    Optional<Event.Called> withheld;
    try {
      withheld = refusal(call);
    } catch (MountException unreadable) {
      brokeOff(now, generation, unreadable);
      return;
    }
    if (withheld.isPresent()) {
      then.accept(withheld.get());
      return;
    }
    // Another instance of the plugin may have taken over since the operation began. The answer to
    // an earlier call still belongs to the instance that received the call.
    plugin = parts.plugins().find(identity.plugin()).orElse(plugin);
    String instance = plugin.instance();
    memory.restamp(at, call, instance);
    long expected = generation;
    parts.points().at(CrashPoint.before(call.verb()));
    NodePlugin asked = plugin;
    AtomicReference<Optional<NodeCall>> made = new AtomicReference<>(Optional.empty());
    Scheduler.Timer slow =
        parts
            .scheduler()
            .after(SLOW, () -> report.slow(call, made.get().filter(asked::isSent).isPresent()));
    long began = parts.clock().nanos();
    try {
      NodeCall request = request(at, call);
      made.set(Optional.of(request));
      asked.call(
          request,
          volume.calling(call.verb().operation()),
          answer ->
              mailbox.put(
                  () -> {
                    slow.cancel();
                    if (isExpected(now, expected)) {
                      engine.watch.heard(identity.plugin(), plugin.instance(), Optional.empty());
                      memory.ended(call, answer, instance);
                      volume.called(asked, call.verb().operation(), answer, began);
                      if (answer.isOk()) {
                        engine.succeeded(identity.plugin());
                      }
                      parts.points().at(CrashPoint.answered(call.verb()));
                      answered(call, answer);
                      askAfter(now, call, answer, () -> then.accept(new Event.Answered(answer)));
                    }
                  }));
    } catch (Throwable broken) {
      slow.cancel();
      memory.unknown(call, instance);
      mailbox.put(() -> brokeOff(now, expected, broken));
    }
  }

  /** If the volume could not be staged or published, queries its faults. Then continues. */
  private void askAfter(Operation now, Step.Call call, Answer answer, Runnable then) {
    boolean isForward = call.verb() == Verb.STAGE || call.verb() == Verb.PUBLISH;
    if (isForward) {
      report.said("");
    }
    if (!isForward
        || !offer.volumes()
        || !isRefusal(answer)
        || !engine.health.isWatched(identity.plugin())) {
      then.run();
      return;
    }
    long expected = generation;
    long began = parts.clock().nanos();
    NodePlugin asked = plugin;
    asked.call(
        new NodeCall.Health(
            identity.handle(),
            call.usage().map(usage -> path(call.usage())),
            offersStaging() ? Optional.of(staging()) : Optional.empty()),
        volume.calling(CsiOperation.NODE_GET_VOLUME_HEALTH),
        health ->
            mailbox.put(
                () -> {
                  if (isExpected(now, expected) && !engine.isStopped()) {
                    volume.called(asked, CsiOperation.NODE_GET_VOLUME_HEALTH, health, began);
                    engine.health.told(identity, health);
                    report.said(HealthWatch.words(health));
                    then.run();
                  }
                }));
  }

  private boolean offersStaging() {
    return turn != null && turn.mount().plan().staged();
  }

  private void answered(Step.Call call, Answer answer) {
    if (answer.isSent() && CallMeaning.status(answer) == StatusCode.DEADLINE_EXCEEDED) {
      report.stuck(call);
    }
    lastAnswer = answer.isOk() ? null : CallMeaning.clause(answer);
    if (call.verb() == Verb.UNPUBLISH) {
      unpublishFailed = isRefusal(answer);
    }
  }

  /** Returns whether the plugin received a call and the call has certainly failed. */
  private static boolean isRefusal(Answer answer) {
    return !answer.isOk() && answer.isSent() && !CallMeaning.of(answer).goesOn();
  }

  /** Refuses to send a release to the plugin if the path is not the one that was created. */
  private Optional<Event.Called> refusal(Step.Call call) {
    boolean isRelease = call.verb() == Verb.UNPUBLISH || call.verb() == Verb.UNSTAGE;
    // A path with a mount is not a symbolic link, and is not checked.
    if (!isRelease || !isFree(path(call.usage()))) {
      return Optional.empty();
    }
    try {
      parts.directories().refuseLinks(identity, call.usage());
      return Optional.empty();
    } catch (PathProblem problem) {
      boolean isOther =
          problem.kind() == PathProblem.Kind.SYMLINK
              || problem.kind() == PathProblem.Kind.IN_THE_WAY;
      return isOther ? Optional.of(new Event.Withheld(problem)) : Optional.empty();
    }
  }

  /** Returns the call to the plugin for a step. */
  private NodeCall request(Turn at, Step.Call call) {
    return switch (call.verb()) {
      case STAGE -> {
        Goal.Publish goal = at.mount();
        yield new NodeCall.Stage(goal.request(), goal.plan(), staging());
      }
      case PUBLISH -> {
        Goal.Publish goal = at.mount();
        yield new NodeCall.Publish(
            goal.request(),
            goal.plan(),
            goal.plan().staged() ? Optional.of(staging()) : Optional.empty(),
            path(call.usage()));
      }
      case UNPUBLISH -> new NodeCall.Unpublish(identity.handle(), path(call.usage()));
      case UNSTAGE -> new NodeCall.Unstage(identity.handle(), staging());
    };
  }

  // ---- going on with an answer

  private boolean isExpected(Operation now, long expected) {
    return operation != null && operation.id().equals(now.id()) && generation == expected;
  }

  /** Returns the turn with the present record of the volume. */
  private Turn current(Turn at) {
    return memory.record().map(at::with).orElse(at);
  }

  private <E extends Event> void resume(Operation now, long expected, Awaited<E> awaited, E event) {
    Turn at = turn;
    if (at != null && isExpected(now, expected) && !engine.isStopped()) {
      advance(now, awaited.answered(current(at), event, situation(plugin)));
    }
  }

  private void brokeOff(Operation now, long expected, Throwable broken) {
    Turn at = turn;
    if (at != null && isExpected(now, expected) && !engine.isStopped()) {
      advance(now, BrokenStep.after(current(at), broken, situation(plugin)));
    }
  }
}
