package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.CoveredException;
import io.csi4j.volume.internal.lifecycle.Event;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Lifecycle;
import io.csi4j.volume.internal.lifecycle.Phase;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Situation;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.NodeClaims;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Performs the steps of one operation of a volume at a time, as the lifecycle names them. Used in
 * the mailbox of the volume only.
 */
final class TurnRunner {

  /** When an operator is told that a call takes long. */
  private static final Duration SLOW = Duration.ofSeconds(10);

  /** How long the servers of what is looked at are waited for. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final Steps steps;
  private final Memory memory;
  private final Requests requests;
  private final Voice voice;
  private final Mailbox mailbox;
  private final Owner owner;

  private @Nullable Operation operation;
  private @Nullable Turn turn;
  private @Nullable String lastAnswer;
  private boolean unpublishFailed;
  private boolean superseded;
  private NodePlugin plugin = new AbsentPlugin(Set.of());

  /** Tells an answer that is waited for from one that comes late. */
  private long generation;

  /** Whose steps they are. */
  interface Owner {

    /** Whether no new steps are made. */
    boolean isStopped();

    /** A plugin was heard of: perhaps it is another process now. */
    void heard(NodePlugin from);

    /** What was due then comes only now. */
    void late(long due);

    /** What is known to lie over the directories of the volume. */
    Optional<Failure> covered();

    /** Something others may see has changed. */
    void changed();

    /** The volume was given back. */
    void buried(Tombstone tombstone);

    /** The operation has ended. */
    void ended(Operation operation, Result result);
  }

  TurnRunner(VolumeParts volume, Steps steps, Owner owner) {
    identity = volume.identity();
    parts = volume.engine();
    memory = volume.memory();
    voice = volume.voice();
    mailbox = volume.mailbox();
    requests = volume.requests();
    this.steps = steps;
    this.owner = owner;
  }

  /** What is being done; nothing before the first step and after the last. */
  Optional<Turn> turn() {
    return Optional.ofNullable(turn);
  }

  /** What the plugin said last, if that was no success. */
  Optional<String> lastAnswer() {
    return Optional.ofNullable(lastAnswer);
  }

  /** Whether the plugin was asked to unpublish, and has answered last that it could not. */
  boolean unpublishFailed() {
    return unpublishFailed;
  }

  /** What is being done is not wanted any more: it ends where it can be left. */
  void supersede() {
    superseded = true;
    Operation now = operation;
    Turn at = turn;
    boolean isWaiting =
        at != null && (at.step() instanceof Step.Pause || at.step() instanceof Step.Confirm);
    if (now != null && at != null && isWaiting && !owner.isStopped()) {
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
    advance(next, Lifecycle.begin(goal, known, situation(target)));
  }

  /** What is so: the plugin gets no call while its paths would lead into what somebody mounted. */
  private Situation situation(NodePlugin of) {
    return memory.situation(of).barredBy(owner.covered());
  }

  /** Performs steps until one has to be waited for. */
  private void advance(Operation now, Turn first) {
    Turn at = first;
    while (true) {
      if (superseded) {
        at = Lifecycle.superseded(at).orElse(at);
      }
      turn = at;
      at.notices().stream().filter(it -> steps.isNews(identity, it)).forEach(voice::tell);
      if (at.phase() != Phase.ENDED || !at.record().equals(at.before())) {
        memory.set(at.record());
      }
      owner.changed();
      if (at.step() instanceof Step.End end) {
        owner.ended(now, end.result());
        return;
      } else if (at.step() instanceof Step.Call call) {
        Optional<Event> refusal =
            owner.isStopped() ? Optional.empty() : steps.refusal(identity, call);
        if (refusal.isEmpty()) {
          call(now, at, call);
          return;
        }
        at = Lifecycle.next(at, refusal.get(), memory.situation(plugin));
        continue;
      } else if (at.step() instanceof Step.Pause pause) {
        pause(now, pause.time());
        return;
      } else if (at.step() instanceof Step.Confirm question) {
        confirm(now, question);
        return;
      } else if (at.step() instanceof Step.Look look && isAsking(now, at, look)) {
        return;
      } else if (owner.isStopped()) {
        return;
      }
      Event event = perform(at);
      if (event instanceof Event.Looked looked) {
        ((Step.Look) at.step()).usage().ifPresent(usage -> memory.looked(usage, looked));
      }
      Moments.after(at).ifPresent(parts.points()::at);
      at = Lifecycle.next(at, event, situation(plugin));
    }
  }

  @SuppressWarnings("CatchThrowable") // whatever a step throws leaves its effect unknown
  private Event perform(Turn at) {
    try {
      Step step = at.step();
      if (!(step instanceof Step.Look)) {
        owner
            .covered()
            .ifPresent(
                covered -> {
                  throw new CoveredException(covered);
                });
      }
      if (step instanceof Step.Save save) {
        return memory.save(save);
      } else if (step instanceof Step.Forget) {
        return steps.forget(identity);
      } else if (step instanceof Step.Bury) {
        return bury(at);
      } else if (step instanceof Step.PrepareVolume) {
        return steps.prepareVolume(identity, voice::tell);
      } else if (step instanceof Step.PrepareUse prepare) {
        return steps.prepareUse(identity, prepare.usage(), voice::tell);
      } else if (step instanceof Step.RemoveUse remove) {
        return steps.removeUse(identity, remove.usage());
      } else if (step instanceof Step.RemoveVolume) {
        return steps.removeVolume(identity);
      } else if (step instanceof Step.Force force) {
        return steps.force(identity, force);
      } else if (step instanceof Step.LookAtUses) {
        return steps.lookAtUses(at.record());
      }
      return steps.look(identity, (Step.Look) step, at.record().plan().block());
    } catch (Throwable broken) {
      return new Event.Broke(broken);
    }
  }

  /**
   * Asks the servers of what is looked at whether they are still there, where only they can tell;
   * tells whether an answer is waited for. A server that says nothing in time is there.
   */
  private boolean isAsking(Operation now, Turn at, Step.Look look) {
    if (plugin.policy().onDeadMount() == OnDeadMount.LEAVE) {
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
    Runnable goOn = () -> mailbox.put(() -> looked(now, at, expected));
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

  private void looked(Operation now, Turn at, long expected) {
    if (isExpected(now, expected) && !owner.isStopped()) {
      resume(now, ++generation, perform(at));
    }
  }

  private Event bury(Turn at) {
    Tombstone tombstone = memory.tombstone(at);
    Event event = steps.bury(tombstone);
    owner.buried(tombstone);
    return event;
  }

  private void pause(Operation now, Duration time) {
    long expected = ++generation;
    long due = parts.clock().nanos() + time.toNanos();
    parts
        .scheduler()
        .after(
            time,
            () -> {
              owner.late(due);
              mailbox.put(() -> resume(now, expected, new Event.Woke()));
            });
  }

  private void confirm(Operation now, Step.Confirm question) {
    long expected = ++generation;
    boolean recordSuffices =
        parts.claims().terms().filter(NodeClaims::goesOnFromRecord).isPresent();
    ClaimQuestion.ask(
        parts,
        question.usage(),
        question.epoch(),
        standing ->
            mailbox.put(
                () -> resume(now, expected, new Event.Confirmed(standing, recordSuffices))));
  }

  @SuppressWarnings("CatchThrowable") // whatever a plugin's adapter throws leaves it unknown
  private void call(Operation now, Turn at, Step.Call call) {
    if (owner.isStopped()) {
      return;
    }
    // Another instance may serve since the operation began; what it was sent ends where it was
    // sent.
    plugin = parts.plugins().find(identity.plugin()).orElse(plugin);
    String instance = plugin.instance();
    memory.restamp(at, call, instance);
    long expected = ++generation;
    parts.points().at(Moments.before(call.verb()));
    Scheduler.Timer slow = parts.scheduler().after(SLOW, () -> voice.slow(call));
    try {
      plugin.call(
          requests.call(now, at, call),
          answer ->
              mailbox.put(
                  () -> {
                    slow.cancel();
                    if (isExpected(now, expected)) {
                      owner.heard(plugin);
                      memory.ended(call, answer, instance);
                      parts.points().at(Moments.after(call.verb()));
                      answered(call, answer);
                      resume(now, expected, new Event.Answered(answer));
                    }
                  }));
    } catch (Throwable broken) {
      slow.cancel();
      memory.unknown(call, instance);
      mailbox.put(() -> resume(now, expected, new Event.Broke(broken)));
    }
  }

  private void answered(Step.Call call, Answer answer) {
    if (answer instanceof Answer.Failed failed && failed.code() == StatusCode.DEADLINE_EXCEEDED) {
      voice.stuck(call);
    }
    lastAnswer =
        answer instanceof Answer.Failed failed ? failed.code() + ": " + failed.text() : null;
    if (call.verb() == Verb.UNPUBLISH) {
      unpublishFailed =
          answer instanceof Answer.Failed failed && failed.sent() && !Lifecycle.mayGoOn(failed);
    }
  }

  private boolean isExpected(Operation now, long expected) {
    return operation != null && operation.id().equals(now.id()) && generation == expected;
  }

  private void resume(Operation now, long expected, Event event) {
    Turn at = turn;
    if (at == null || !isExpected(now, expected) || owner.isStopped()) {
      return;
    }
    Turn kept = memory.record().map(at::with).orElse(at);
    advance(now, Lifecycle.next(kept, event, situation(plugin)));
  }
}
