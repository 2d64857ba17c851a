package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.Release;
import io.csi4j.volume.node.VolumeEvent;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One volume: its operations one after the other, and its background cleanup. Everything but {@link
 * #view} is used in its mailbox only.
 */
final class VolumeQueue {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final VolumeReport report;
  private final VolumeEngine engine;
  private final Mailbox mailbox;
  private final VolumeMemory memory;
  private final OperationRun runner;
  private final DeadMountCare dead;
  private final LostMounts lost;
  private final ResumedUses resumed = new ResumedUses();
  private final OperationStart starting;
  private final CleanupSchedule cleanup;
  private final ClaimChecks claims;
  private final Deque<Operation> waiting = new ArrayDeque<>(1);

  /** The uses whose names are to be put back as soon as nothing is being done. */
  private final Set<UsageKey> names = new HashSet<>(0);

  private @Nullable Operation current;
  private VolumeEvent.@Nullable Started started;
  private long begun;
  private boolean isTold;

  /** Whether all there is appeared after the volume had been given back. */
  private boolean isLate;

  private @Nullable OperatorMessage trouble;
  private long troubled;

  /** Why the running repair did not succeed with all uses, once that is so. */
  private Optional<VolumeException> repairFailure = Optional.empty();

  private volatile View view = View.NOTHING;

  /** How many operations have been asked for and not ended; under the engine's lock. */
  int pending;

  /** The uses that lead to this volume; under the engine's lock. */
  final Set<UsageKey> indexed = new HashSet<>(2);

  VolumeQueue(VolumeIdentity identity, EngineParts parts, Steps steps, VolumeEngine engine) {
    this.identity = identity;
    this.parts = parts;
    this.engine = engine;
    report = new VolumeReport(identity, parts);
    mailbox = new Mailbox(parts.scheduler(), this::broke);
    memory = new VolumeMemory(identity, parts, steps);
    VolumeParts volume =
        new VolumeParts(
            identity,
            parts,
            engine,
            mailbox,
            memory,
            new PluginCalls(identity, parts.layout()),
            report);
    runner = new OperationRun(volume, steps, this);
    dead = new DeadMountCare(volume, this::deadChanged);
    lost = new LostMounts(volume, dead);
    starting = new OperationStart(volume, runner, dead, resumed, this);
    cleanup = new CleanupSchedule(volume, dead, this);
    claims = new ClaimChecks(volume, cleanup);
  }

  VolumeIdentity identity() {
    return identity;
  }

  /** Returns the view for others. */
  View view() {
    return view;
  }

  // ---- what is found

  /** Before anything is done: what was found at the start. */
  void restore(VolumeRecord found) {
    memory.restore(found);
    resumed.restore(found);
    show();
  }

  /** Restores a volume that had been given back. */
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

  /** Notices mounts that have appeared for uses that are not on record. */
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

  /** Looks whether mounts are dead. Their servers may be asked, and the answers come later. */
  void inspect() {
    mailbox.put(dead::look);
  }

  /** A mount of the volume is gone, at this path or at any. */
  void went(Optional<MountPath> path) {
    mailbox.put(
        () -> {
          lost.went(path);
          if (current == null) {
            lookForLost();
          }
        });
  }

  private void lookForLost() {
    if (lost.look()) {
      show();
      consider();
    }
  }

  /** Looks whether what is mounted is still claimed. */
  void confirm() {
    mailbox.put(claims::confirm);
  }

  /** Another process has become the plugin. */
  void replaced() {
    mailbox.put(
        () -> {
          dead.again();
          cleanup.again();
          dead.look();
        });
  }

  /** Remembers how a use is wanted, in case its mount must be made again. */
  void remember(MountRequest request) {
    mailbox.put(
        () -> {
          dead.remember(request);
          consider();
        });
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
          cleanup.cancel();
          for (Operation operation : List.copyOf(waiting)) {
            report.refuse(operation, OperatorCode.ENGINE_CLOSED, "the manager is being closed");
          }
          waiting.clear();
        });
  }

  /** Does this when everything before it is done. */
  void take(Operation operation) {
    if (engine.isClosing()) {
      report.refuse(operation, OperatorCode.ENGINE_CLOSED, "the manager is being closed");
      engine.idle(this);
      return;
    }
    if (!CleanupSchedule.isOf(operation)) {
      supersede(operation);
      cleanup.asked(operation);
    }
    if (joins(operation)) {
      return;
    }
    if (waiting.size() >= parts.settings().waiters()) {
      report.refuse(
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
        report.refuse(mount, OperatorCode.SUPERSEDED, "its release was asked for before it began");
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
    if (same == null || !(same.isSame(operation.wish()) || isGivingBack(same, operation))) {
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

  /** Whether what is owed for a use that is over is just being done. */
  private boolean isGivingBack(Operation running, Operation release) {
    return running.wish() instanceof Wish.Release settling
        && settling.goal() instanceof Goal.Settle
        && release.wish() instanceof Wish.Release wish
        && wish.goal() instanceof Goal.Release
        && memory.record().filter(known -> known.targets().isEmpty()).isPresent();
  }

  /** Begins the next operation, if none is being done. */
  private void proceed() {
    if (current != null) {
      return;
    }
    nameAll();
    Operation operation = waiting.poll();
    if (operation == null) {
      lookForLost();
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
    isTold = cleanup.isTold(operation);
    if (isTold) {
      parts.events().accept(started);
    }
    show();
    starting.begin(operation);
  }

  // ---- what is being done

  /** Whether this operation is being done. */
  boolean isCurrent(Operation operation) {
    return current != null && current.id().equals(operation.id());
  }

  /** Whether none is being done. */
  boolean isFree() {
    return current == null;
  }

  /** Whether none is being done and none waits. */
  boolean isEmpty() {
    return current == null && waiting.isEmpty();
  }

  // ---- the end of operations

  /** An operation has ended with what was to be read. */
  void read(Operation operation, Object value) {
    ended(Optional.empty());
    operation.end().complete(value);
    proceed();
  }

  /** The steps of an operation have ended. */
  void finish(Operation operation, Result result) {
    boolean isDone = result instanceof Result.Published || result instanceof Result.Withdrawn;
    boolean isNew = runner.turn().filter(turn -> turn.sent().contains(Verb.PUBLISH)).isPresent();
    if (result instanceof Result.Published && isNew) {
      runner.turn().flatMap(Turn::usage).ifPresent(dead::isWell);
    }
    if (operation.wish() instanceof Wish.Repair && !engine.isStopped()) {
      if (isDone || goesOn(operation, result)) {
        starting.repair(operation);
        return;
      }
    }
    if (result instanceof Result.Released) {
      operation.usage().flatMap(resumed::released).ifPresent(report::tell);
    }
    if (memory.forgetIfEmpty()) {
      if (isLate) {
        report.tell(
            new Notice(
                OperatorCode.ORPHAN_CLEANED,
                "it had appeared after the volume was given back",
                Optional.empty()));
      }
      isLate = false;
    }
    if (result instanceof Result.Published) {
      isLate = false;
      parts.points().at(CrashPoint.CALLER_TOLD);
    }
    end(operation, result);
  }

  /**
   * Keeps why the mount of one use could not be made again; returns whether the others may be
   * tried. None is when the plugin gets no calls at all.
   */
  private boolean goesOn(Operation operation, Result result) {
    boolean mayGoOn = dead.failed();
    Optional<UsageKey> usage = runner.turn().flatMap(Turn::usage);
    Optional<VolumeException> failure = report.failure(operation, result, usage);
    repairFailure = repairFailure.or(() -> failure);
    return mayGoOn && failure.filter(it -> it.code() != OperatorCode.PLUGIN_NOT_UP).isPresent();
  }

  /** Ends an operation, be it before its first step. */
  void end(Operation operation, Result result) {
    Optional<VolumeException> failure =
        repairFailure.or(() -> report.failure(operation, result, operation.usage()));
    repairFailure = Optional.empty();
    if (failure.filter(it -> it.code() == OperatorCode.MOUNT_NOT_VISIBLE).isPresent()) {
      engine.lookForUnexpected();
    }
    dead.keepOnly(memory.record());
    if (failure.filter(it -> it.code() == OperatorCode.MOUNT_DEAD).isPresent()) {
      dead.look();
    }
    OperatorMessage before = trouble;
    trouble =
        failure
            .map(VolumeException::operatorMessage)
            .orElse(cleanup.owed().isPresent() ? before : null);
    if (trouble != null && (before == null || before.code() != trouble.code())) {
      troubled = parts.clock().nanos();
    }
    boolean isKept =
        failure.isPresent()
            && (runner.unpublishFailed() || failure.get().code() == OperatorCode.STILL_MOUNTED);
    if (isKept && isTold && operation.wish() instanceof Wish.Release) {
      operation.usage().ifPresent(this::tellWhoHolds);
    }
    cleanup.ended(operation, result, failure.isPresent());
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

  /** An operation broke in a way that it should not: every caller still gets an answer. */
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

  /** Tells who keeps a target in use that the plugin was asked to unmount, and did not. */
  private void tellWhoHolds(UsageKey usage) {
    MountPath target = parts.layout().target(identity, usage);
    try {
      parts
          .kernel()
          .holders(target)
          .ifPresent(
              holders ->
                  report.tell(
                      new Notice(
                          OperatorCode.TARGET_BUSY,
                          "it is still mounted, and in use by: " + holders,
                          Optional.of(usage))));
    } catch (MountException e) {
      LOG.log(Level.DEBUG, "Who holds " + target + " could not be found out.", e);
    }
  }

  /** Something that others may see has changed. */
  void show() {
    view =
        new View(
            memory.record(),
            Optional.ofNullable(current).map(this::activity),
            Optional.ofNullable(trouble).or(dead::trouble),
            trouble == null ? OptionalLong.empty() : OptionalLong.of(troubled),
            dead.uses());
  }

  /** A mount was found dead, or well again. */
  private void deadChanged() {
    show();
    consider();
  }

  private View.Activity activity(Operation operation) {
    Optional<Turn> turn = runner.turn();
    return new View.Activity(
        operation,
        turn.map(Turn::doing).orElse("looking at what is mounted"),
        begun,
        turn.map(Turn::tries).map(Turn.Tries::calls).orElse(0),
        runner.lastAnswer(),
        turn.map(Turn::step)
            .filter(Step.Pause.class::isInstance)
            .map(step -> ((Step.Pause) step).time()),
        waiting.stream().flatMap(next -> next.usage().stream()).toList());
  }

  // ---- background cleanup

  /** Looks whether something is to be done in the background now. */
  void wake() {
    mailbox.put(
        () -> {
          cleanup.again();
          consider();
        });
  }

  private void consider() {
    cleanup.consider();
  }
}
