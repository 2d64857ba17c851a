package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.Awaited;
import io.csi4j.volume.internal.lifecycle.CoveredException;
import io.csi4j.volume.internal.lifecycle.Event;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Lifecycle;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Situation;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.NodeClaims;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Performs the steps of one operation of a volume at a time, as the lifecycle names them. Used in
 * the mailbox of the volume only.
 */
final class OperationRun {

  /** When an operator is told that a call takes long. */
  private static final Duration SLOW = Duration.ofSeconds(10);

  /** How long the servers of what is looked at are waited for. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final Steps steps;
  private final VolumeMemory memory;
  private final PluginCalls requests;
  private final VolumeReport report;
  private final Mailbox mailbox;
  private final VolumeEngine engine;
  private final VolumeQueue queue;

  private @Nullable Operation operation;
  private @Nullable Turn turn;
  private @Nullable String lastAnswer;
  private boolean unpublishFailed;
  private boolean superseded;
  private NodePlugin plugin = new AbsentPlugin(Set.of());

  /** Tells an answer that is waited for from one that comes late. */
  private long generation;

  OperationRun(VolumeParts volume, Steps steps, VolumeQueue queue) {
    identity = volume.identity();
    parts = volume.ports();
    memory = volume.memory();
    report = volume.report();
    mailbox = volume.mailbox();
    requests = volume.requests();
    this.steps = steps;
    engine = volume.engine();
    this.queue = queue;
  }

  /** Returns the operation at this moment; nothing before the first step and after the last. */
  Optional<Turn> turn() {
    return Optional.ofNullable(turn);
  }

  /** Returns the last answer of the plugin, if that was no success. */
  Optional<String> lastAnswer() {
    return Optional.ofNullable(lastAnswer);
  }

  /** Whether the plugin was asked to unpublish, and has answered last that it could not. */
  boolean unpublishFailed() {
    return unpublishFailed;
  }

  /** The operation is not wanted any more: it ends where it can be left. */
  void supersede() {
    superseded = true;
    Operation now = operation;
    Turn at = turn;
    boolean isWaiting =
        at != null && (at.step() instanceof Step.Pause || at.step() instanceof Step.Confirm);
    if (now != null && at != null && isWaiting && !engine.isStopped()) {
      Optional<Turn> end = Lifecycle.superseded(at);
      if (end.isPresent()) {
        generation++;
        advance(now, end.get());
      }
    }
  }

  /** Forgets the operation that has ended. */
  void clear() {
    operation = null;
    turn = null;
    lastAnswer = null;
    unpublishFailed = false;
  }

  /** Begins to go for a goal. */
  void begin(Operation next, Goal goal, VolumeRecord known, NodePlugin target) {
    operation = next;
    plugin = target;
    lastAnswer = null;
    unpublishFailed = false;
    superseded = false;
    advance(next, Lifecycle.begin(goal, known));
  }

  /**
   * Returns the situation: the plugin gets no call while its paths would lead into a foreign mount.
   */
  private Situation situation(NodePlugin of) {
    return memory.situation(of).barredBy(engine.covered(identity));
  }

  /** Performs steps until one has to be waited for. */
  private void advance(Operation now, Turn first) {
    Optional<Turn> next = Optional.of(first);
    while (next.isPresent()) {
      Turn at = superseded ? Lifecycle.superseded(next.get()).orElse(next.get()) : next.get();
      turn = at;
      at.notices().stream().filter(it -> steps.isNews(identity, it)).forEach(report::tell);
      Optional<Result> result = at.result();
      if (result.isEmpty() || !at.record().equals(at.before())) {
        memory.set(at.record());
      }
      queue.show();
      if (result.isPresent()) {
        queue.finish(now, result.get());
        return;
      }
      next = perform(now, at, at.awaited());
    }
  }

  /** Performs a step; the turn after it, unless its answer has to be waited for. */
  private <E extends Event> Optional<Turn> perform(Operation now, Turn at, Awaited<E> awaited) {
    if (awaited.step() instanceof Step.Later<E> later) {
      long expected = ++generation;
      later.by(new Performance(now, at), event -> resume(now, expected, awaited, event));
      return Optional.empty();
    }
    return isAsking(now, at, awaited) || engine.isStopped()
        ? Optional.empty()
        : Optional.of(after(now, at, awaited));
  }

  /** Performs a step that ends at once, and decides what follows. */
  @SuppressWarnings("CatchThrowable") // an exception of a step leaves its effect unknown
  private <E extends Event> Turn after(Operation now, Turn at, Awaited<E> awaited) {
    E event;
    try {
      event = answer(now, at, awaited.step());
    } catch (Throwable broken) {
      at.reached().ifPresent(parts.points()::at);
      return Lifecycle.broken(at, broken, situation(plugin));
    }
    at.reached().ifPresent(parts.points()::at);
    return awaited.answered(at, event, situation(plugin));
  }

  private <E extends Event> E answer(Operation now, Turn at, Step<E> step) {
    if (!(step instanceof Step.Look)) {
      engine
          .covered(identity)
          .ifPresent(
              covered -> {
                throw new CoveredException(covered);
              });
    }
    if (step instanceof Step.AtOnce<E> atOnce) {
      return atOnce.by(new Performance(now, at));
    }
    throw new IllegalStateException("A step that does not end at once: " + step);
  }

  /** How the steps of one turn are performed. */
  private final class Performance implements Step.Performer {
    private final Operation now;
    private final Turn at;

    Performance(Operation now, Turn at) {
      this.now = now;
      this.at = at;
    }

    @Override
    public Event.Saved save(Step.Save step) {
      return memory.save(step);
    }

    @Override
    public Event.Saved forget() {
      return steps.forget(identity);
    }

    @Override
    public Event.Saved bury() {
      Tombstone tombstone = memory.tombstone(at);
      Event.Saved saved = steps.bury(tombstone);
      engine.buried(tombstone);
      return saved;
    }

    @Override
    public Event.Arranged prepareVolume() {
      return steps.prepareVolume(identity, report::tell);
    }

    @Override
    public Event.Arranged prepareUse(UsageKey usage) {
      return steps.prepareUse(identity, usage, report::tell);
    }

    @Override
    public Event.Arranged removeUse(UsageKey usage) {
      return steps.removeUse(identity, usage);
    }

    @Override
    public Event.Arranged removeVolume() {
      return steps.removeVolume(identity);
    }

    @Override
    public Event.Looked look(Step.Look step) {
      Event.Looked looked = steps.look(identity, step, at.record().plan().block());
      step.usage().ifPresent(usage -> memory.looked(usage, looked));
      return looked;
    }

    @Override
    public Event.UsesSeen lookAtUses() {
      return steps.lookAtUses(at.record());
    }

    @Override
    public Event.Forced force(Step.Force step) {
      return steps.force(identity, step);
    }

    @Override
    public void call(Step.Call step, Consumer<Event.Called> then) {
      OperationRun.this.call(now, at, step, then);
    }

    @Override
    public void confirm(Step.Confirm step, Consumer<Event.Confirmed> then) {
      boolean recordSuffices =
          parts.claims().terms().filter(NodeClaims::goesOnFromRecord).isPresent();
      ClaimQuestion.ask(
          parts,
          step.usage(),
          step.epoch(),
          standing ->
              mailbox.put(() -> then.accept(new Event.Confirmed(standing, recordSuffices))));
    }

    @Override
    public void pause(Step.Pause step, Consumer<Event.Woke> then) {
      long due = parts.clock().nanos() + step.time().toNanos();
      parts
          .scheduler()
          .after(
              step.time(),
              () -> {
                engine.late(due);
                mailbox.put(() -> then.accept(new Event.Woke()));
              });
    }
  }

  // ---- looking at what may not answer

  /**
   * Asks the servers of what is looked at whether they are still there, where only they can tell;
   * tells whether an answer is waited for. A server that says nothing in time is there.
   */
  private <E extends Event> boolean isAsking(Operation now, Turn at, Awaited<E> awaited) {
    if (!(at.step() instanceof Step.Look look)
        || plugin.policy().onDeadMount() == OnDeadMount.LEAVE) {
      return false;
    }
    Set<MountPath> unanswered = ConcurrentHashMap.newKeySet();
    Stream.concat(
            Stream.of(parts.layout().staging(identity)),
            look.usage().stream().map(usage -> parts.layout().target(identity, usage)))
        .filter(parts.kernel()::mustAsk)
        .forEach(unanswered::add);
    if (unanswered.isEmpty()) {
      return false;
    }
    long expected = ++generation;
    Runnable goOn = () -> mailbox.put(() -> looked(now, expected, awaited));
    Scheduler.Timer limit = parts.scheduler().after(PATIENCE, goOn);
    for (MountPath path : List.copyOf(unanswered)) {
      try {
        parts
            .kernel()
            .ask(
                path,
                health -> {
                  unanswered.remove(path);
                  if (unanswered.isEmpty()) {
                    limit.cancel();
                    goOn.run();
                  }
                });
      } catch (MountException e) {
        // The look, which comes after the limit, says so.
        LOG.log(Level.DEBUG, "The server of " + path + " could not be asked.", e);
      }
    }
    return true;
  }

  private <E extends Event> void looked(Operation now, long expected, Awaited<E> awaited) {
    Turn at = turn;
    if (at != null && isExpected(now, expected) && !engine.isStopped()) {
      generation++;
      advance(now, after(now, current(at), awaited));
    }
  }

  // ---- calling the plugin

  @SuppressWarnings("CatchThrowable") // an exception of an adapter leaves the effect unknown
  private void call(Operation now, Turn at, Step.Call call, Consumer<Event.Called> then) {
    if (engine.isStopped()) {
      return;
    }
    Optional<Event.Called> withheld;
    try {
      withheld = steps.refusal(identity, call);
    } catch (MountException unreadable) {
      brokeOff(now, generation, unreadable);
      return;
    }
    if (withheld.isPresent()) {
      then.accept(withheld.get());
      return;
    }
    // Another instance may serve since the operation began; what it was sent ends where it was
    // sent.
    plugin = parts.plugins().find(identity.plugin()).orElse(plugin);
    String instance = plugin.instance();
    memory.restamp(at, call, instance);
    long expected = generation;
    parts.points().at(CrashPoint.before(call.verb()));
    Scheduler.Timer slow = parts.scheduler().after(SLOW, () -> report.slow(call));
    try {
      plugin.call(
          requests.call(now, at, call),
          answer ->
              mailbox.put(
                  () -> {
                    slow.cancel();
                    if (isExpected(now, expected)) {
                      engine.heard(identity.plugin(), plugin.instance(), Optional.empty());
                      memory.ended(call, answer, instance);
                      parts.points().at(CrashPoint.answered(call.verb()));
                      answered(call, answer);
                      then.accept(new Event.Answered(answer));
                    }
                  }));
    } catch (Throwable broken) {
      slow.cancel();
      memory.unknown(call, instance);
      mailbox.put(() -> brokeOff(now, expected, broken));
    }
  }

  private void answered(Step.Call call, Answer answer) {
    if (answer instanceof Answer.Failed failed
        && failed.sent()
        && failed.code() == StatusCode.DEADLINE_EXCEEDED) {
      report.stuck(call);
    }
    lastAnswer =
        answer instanceof Answer.Failed failed ? failed.code() + ": " + failed.text() : null;
    if (call.verb() == Verb.UNPUBLISH) {
      unpublishFailed =
          answer instanceof Answer.Failed failed && failed.sent() && !Lifecycle.mayGoOn(failed);
    }
  }

  // ---- going on with an answer

  private boolean isExpected(Operation now, long expected) {
    return operation != null && operation.id().equals(now.id()) && generation == expected;
  }

  /** The operation, with the record as it is by now. */
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
      advance(now, Lifecycle.broken(current(at), broken, situation(plugin)));
    }
  }
}
