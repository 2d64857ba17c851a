package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.time.Failures;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.node.VolumeEvent;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One volume, with its operations, which run one after another, and its background cleanup. All
 * members except {@link #view} are used in its mailbox only.
 */
final class VolumeQueue {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  /** After these codes, the other uses of a repair are not tried. */
  private static final Set<OperatorCode> ENDS_REPAIRS =
      Set.of(OperatorCode.PLUGIN_NOT_UP, OperatorCode.STEP_FAILED);

  /** The pause before work that could not start is started again. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** The time after which an operator is notified that a device takes long to open. */
  private static final Duration SLOW_DEVICE = Duration.ofSeconds(10);

  // Shared by the parts that work on the volume.
  final VolumeIdentity identity;
  final EngineParts parts;
  final VolumeEngine engine;
  final Mailbox mailbox;
  final VolumeMemory memory;
  final VolumeReport report;

  private final OperationRun run;
  private final DeadMounts dead;
  private final CleanupSchedule cleanup;
  private final Deque<Operation> waiting = new ArrayDeque<>(1);

  /** The uses whose names are restored as soon as no operation is running. */
  private final Set<VolumeUse> names = new HashSet<>(0);

  /** Created when claims are checked for the first time. */
  private @Nullable ClaimChecks claims;

  /** Created for a volume that is refreshed. */
  private @Nullable RefreshSchedule refreshes;

  private @Nullable Operation current;

  /** The operation that was started last, until its callers have their answer. */
  private @Nullable Operation unanswered;

  /** The start event of that operation, until its end is reported. */
  private VolumeEvent.@Nullable Started started;

  private long begun;

  /** The devices to hold open, by the paths of their nodes. */
  private Map<MountPath, Device> devices = Map.of();

  /** A device as last opened; a report about an earlier opening belongs to another object. */
  private static final class Device {
    /** Whether it was reported that the device is not held open. */
    boolean isTold;

    Device(boolean isTold) {
      this.isTold = isTold;
    }
  }

  /** Whether everything known of the volume appeared after its release. */
  private boolean isLate;

  private @Nullable OperatorMessage trouble;
  private long troubled;

  /** The failure of the running repair, once one of its uses has failed. */
  private Optional<VolumeException> repairFailure = Optional.empty();

  private volatile View view = View.NOTHING;

  /**
   * The number of operations that were requested and have not ended; guarded by the engine's lock.
   */
  int pending;

  /** The uses that lead to this volume; guarded by the engine's lock. */
  final Set<VolumeUse> indexed = new HashSet<>(2);

  /**
   * A view of a volume for other threads.
   *
   * @param record the present record
   * @param activity the running operation
   * @param trouble the present obstacle
   * @param troubled the time since when it exists, in nanoseconds, if that is known
   * @param dead the uses whose mounts are known to be dead
   * @param covered the targets that another program has covered; empty stands for the staging path
   */
  record View(
      Optional<VolumeRecord> record,
      Optional<Activity> activity,
      Optional<OperatorMessage> trouble,
      OptionalLong troubled,
      Set<VolumeUse> dead,
      Set<Optional<VolumeUse>> covered) {

    /** The view of a volume that is not known. */
    static final View NOTHING =
        new View(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            Set.of(),
            Set.of());

    /** Copies the sets. */
    View {
      dead = Set.copyOf(dead);
      covered = Set.copyOf(covered);
    }

    /**
     * The running operation.
     *
     * @param operation the operation
     * @param doing its step, as a phrase for people
     * @param since the time when the operation started, in nanoseconds
     * @param tries the number of attempts at its present call so far
     * @param answer the last answer of the plugin, if it was a failure
     * @param pause the time until its next attempt, if it waits for one
     * @param waiting the uses whose operations wait for this one, in order
     */
    record Activity(
        Operation operation,
        String doing,
        long since,
        int tries,
        Optional<String> answer,
        Optional<Duration> pause,
        List<VolumeUse> waiting) {}
  }

  VolumeQueue(VolumeIdentity identity, EngineParts parts, VolumeEngine engine) {
    this.identity = identity;
    this.parts = parts;
    this.engine = engine;
    mailbox = new Mailbox(parts.scheduler(), this::broke);
    memory = new VolumeMemory(identity, parts);
    report = new VolumeReport(identity, parts);
    dead = new DeadMounts(this);
    run = new OperationRun(this, dead);
    cleanup = new CleanupSchedule(this, dead);
  }

  VolumeIdentity identity() {
    return identity;
  }

  /** Returns the plugin of the volume, or a placeholder for one that is not registered. */
  NodePlugin plugin() {
    return parts
        .plugins()
        .find(identity.plugin())
        .orElseGet(() -> new NodePlugin.Absent(parts.plugins().known()));
  }

  /** Returns the view for other threads. */
  View view() {
    return view;
  }

  /**
   * Runs work in the mailbox that is not part of an operation. If the work throws, the running
   * operation continues, and the background work is planned again.
   */
  void aside(Runnable work) {
    mailbox.put(
        () -> {
          try {
            work.run();
          } catch (RuntimeException | Error broken) {
            Failures.rethrowEnd(broken);
            Failures.log(LOG, "Looking after " + identity + " failed. Report this.", broken);
            goOnLater();
          }
        });
  }

  /** Starts the waiting operation, or plans background work, after a pause. */
  private void goOnLater() {
    var unused = parts.scheduler().after(AGAIN, () -> mailbox.put(this::proceed));
  }

  // ---- found and reappeared volumes

  /** Takes over a volume that was found at the start, before any operation. */
  void restore(VolumeRecord found) {
    memory.restore(found);
    report.restore(found);
    boolean wasRefreshed =
        found.targets().values().stream().anyMatch(RefreshSchedule::isBeingRefreshed);
    if (wasRefreshed) {
      refreshes().restore(found);
    }
    show();
  }

  /** Takes over a volume that had been released. */
  void restoreLate(VolumeRecord found) {
    restore(found);
    isLate = true;
  }

  /** Handles a released volume of which something has reappeared. */
  void appear(VolumeRecord late) {
    aside(
        () -> {
          if (memory.record().isEmpty() && isFree()) {
            restoreLate(late);
            memory.notOnRecord();
            cleanup.consider();
          }
        });
  }

  /**
   * Handles a tombstone of an earlier life of the volume whose time is over. If the volume has a
   * record, that record covers what is there now, and leaves another tombstone.
   */
  void overdue(Tombstone tombstone) {
    aside(
        () -> {
          if (memory.isOnRecord()) {
            engine.tombstones.drop(tombstone);
          }
        });
  }

  /** Notices mounts that have appeared for uses that are not on record. */
  void notice() {
    aside(
        () -> {
          if (isFree()) {
            memory.record().map(memory::withStrays).ifPresent(memory::set);
            show();
            cleanup.consider();
          }
        });
  }

  /** Checks whether mounts are dead. This may ask their servers; the answers arrive later. */
  void inspect() {
    aside(
        () -> {
          dead.look();
          holdDevices();
        });
  }

  /** Holds the published devices open, if the policy says so. */
  void hold() {
    aside(this::holdDevices);
  }

  /**
   * Holds the published devices open, if the policy says so, and closes all others. Devices of a
   * plugin that is not available stay as they are.
   */
  private void holdDevices() {
    boolean isWanted =
        parts
            .plugins()
            .find(identity.plugin())
            .map(plugin -> plugin.policy().holdDevices())
            .orElse(!devices.isEmpty());
    if ((!isWanted && devices.isEmpty()) || engine.isStopped()) {
      return;
    }
    Map<MountPath, VolumeUse> wanted = isWanted ? publishedDevices() : Map.of();
    devices.keySet().stream()
        .filter(path -> !wanted.containsKey(path))
        .forEach(path -> parts.kernel().letGo(path, () -> {}));
    Map<MountPath, Device> known = wanted.isEmpty() ? Map.of() : new HashMap<>();
    for (MountPath path : wanted.keySet()) {
      Device before = devices.get(path);
      known.put(path, before == null ? new Device(false) : before);
    }
    devices = known;
    wanted.forEach(this::hold);
  }

  private void hold(MountPath path, VolumeUse usage) {
    Device before = devices.get(path);
    Device device = new Device(before != null && before.isTold);
    AtomicBoolean isOver = new AtomicBoolean();
    boolean isOpening =
        parts
            .kernel()
            .hold(
                path,
                problem -> {
                  isOver.set(true);
                  aside(() -> held(path, device, usage, problem));
                });
    if (isOpening) {
      devices.put(path, device);
    }
    if (isOpening && !isOver.get()) {
      parts
          .scheduler()
          .after(
              SLOW_DEVICE,
              () -> {
                if (!isOver.get()) {
                  aside(() -> held(path, device, usage, Optional.of("it takes very long to open")));
                }
              });
    }
  }

  /** Handles the result of opening a device. A failure is reported once. */
  private void held(MountPath path, Device device, VolumeUse usage, Optional<String> problem) {
    if (devices.get(path) == device && device.isTold != problem.isPresent()) {
      device.isTold = problem.isPresent();
      problem.ifPresent(
          why -> report.tell(new Notice(OperatorCode.DEVICE_NOT_HELD, why, Optional.of(usage))));
    }
  }

  private Map<MountPath, VolumeUse> publishedDevices() {
    return memory.record().filter(known -> known.plan().block()).stream()
        .flatMap(known -> known.targets().values().stream())
        .filter(use -> use.path().is(PathStatus.PRESENT))
        .map(TargetRecord::usage)
        .collect(Collectors.toMap(usage -> parts.layout().target(identity, usage), usage -> usage));
  }

  /**
   * Handles a mount that has appeared or disappeared in the directory of the volume, at this path
   * or at any path.
   */
  void changed(Optional<MountPath> path) {
    aside(
        () -> {
          dead.changed(path);
          if (isFree()) {
            lookAtChanges();
          }
        });
  }

  private void lookAtChanges() {
    if (dead.isChanged() && engine.foreign.moved().isEmpty() && dead.lookAtChanges()) {
      holdDevices();
      cleanup.consider();
    }
  }

  /** Checks the claims of the mounts. */
  void confirm() {
    aside(
        () -> {
          ClaimChecks checks = claims == null ? new ClaimChecks(this, cleanup) : claims;
          claims = checks;
          checks.confirm();
        });
  }

  /** Handles a new process of the plugin. */
  void replaced() {
    aside(
        () -> {
          dead.again();
          cleanup.again();
          dead.look();
          considerRefresh();
        });
  }

  /** Remembers the request for a use, in case its mount must be repaired. */
  void remember(MountRequest request) {
    aside(
        () -> {
          dead.remember(request);
          if (mayRefresh()) {
            refreshes().remember(request);
          }
          considerRefresh();
          cleanup.consider();
        });
  }

  /** Restores the name of a use of which only the directory is left; the use is uncertain. */
  void name(VolumeUse usage) {
    aside(
        () -> {
          names.add(usage);
          if (isFree()) {
            nameAll();
          }
        });
  }

  private void nameAll() {
    for (VolumeUse usage : names) {
      if (memory.name(usage)) {
        engine.index.named(this, usage);
        show();
      }
    }
    names.clear();
  }

  // ---- the queue of operations

  /** Runs an operation after all earlier ones. */
  void submit(Operation operation) {
    mailbox.put(
        () -> {
          try {
            take(operation);
          } catch (RuntimeException | Error broken) {
            Failures.rethrowEnd(broken);
            if (operation != unanswered && !waiting.contains(operation)) {
              report.broke(operation, broken);
            }
            throw broken;
          }
        });
  }

  /** Ends the operations that have not started. */
  void close() {
    mailbox.put(
        () -> {
          cleanup.cancel();
          if (refreshes != null) {
            refreshes.cancel();
          }
          for (Operation operation : List.copyOf(waiting)) {
            report.refuse(operation, OperatorCode.ENGINE_CLOSED, "the manager is being closed");
          }
          waiting.clear();
        });
  }

  /** Appends an operation to the queue. */
  void take(Operation operation) {
    if (engine.index.isClosing()) {
      report.refuse(operation, OperatorCode.ENGINE_CLOSED, "the manager is being closed");
      engine.index.idle(this);
      return;
    }
    if (!CleanupSchedule.isOf(operation) && !(operation instanceof Operation.Refresh)) {
      supersede(operation);
      cleanup.asked(operation);
    }
    if (joins(operation)) {
      return;
    }
    if (waiting.size() >= parts.settings().waiters()) {
      report.refuse(
          operation,
          OperatorCode.TOO_MANY_WAITERS,
          waiting.size()
              + (waiting.size() == 1 ? " operation waits" : " operations wait")
              + " already");
      return;
    }
    waiting.add(operation);
    show();
    proceed();
  }

  /**
   * Ends the mounts and refreshes of a use that will be released: the waiting ones, and a running
   * one between attempts.
   */
  private void supersede(Operation release) {
    if (!(release instanceof Operation.Release)) {
      return;
    }
    for (Operation mount : List.copyOf(waiting)) {
      if (isMade(mount) && mount.usage().equals(release.usage())) {
        waiting.remove(mount);
        report.refuse(
            mount, OperatorCode.SUPERSEDED, "its release was requested before it started");
      }
    }
    Operation running = current;
    if (running != null && isMade(running) && running.usage().equals(release.usage())) {
      if (run.turn().isPresent()) {
        run.supersede();
      } else {
        end(
            running,
            Failure.of(OperatorCode.SUPERSEDED, "its release was requested before it started")
                .as(Outcome.REFUSED));
      }
    }
  }

  /** Returns whether an operation publishes a use. */
  private static boolean isMade(Operation operation) {
    return operation instanceof Operation.Mount || operation instanceof Operation.Refresh;
  }

  /** Joins the last operation in the queue, if it requests the same. */
  private boolean joins(Operation operation) {
    Operation last = waiting.peekLast();
    Operation same = last == null ? current : last;
    if (same == null || !(same.isSame(operation) || isGivingBack(same, operation))) {
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

  /** Returns whether the running operation is the pending cleanup of the use to release. */
  private boolean isGivingBack(Operation running, Operation release) {
    return running instanceof Operation.Release settling
        && settling.goal instanceof Goal.Settle
        && release instanceof Operation.Release asked
        && asked.goal instanceof Goal.Release
        && memory.record().filter(known -> known.targets().isEmpty()).isPresent();
  }

  /** Starts the next operation, if none is running. */
  private void proceed() {
    if (current != null || unanswered != null) {
      return;
    }
    nameAll();
    Operation operation = waiting.poll();
    if (operation == null) {
      lookAtChanges();
      cleanup.consider();
      considerRefresh();
      engine.index.idle(this);
      return;
    }
    current = operation;
    unanswered = operation;
    try {
      begin(operation);
    } catch (RuntimeException | Error broken) {
      Failures.rethrowEnd(broken);
      // This runs in the mailbox, because the exception may come from the end of the previous
      // operation.
      mailbox.put(() -> broke(broken));
    }
  }

  private void begin(Operation operation) {
    run.clear();
    begun = parts.clock().nanos();
    VolumeEvent.Started start =
        new VolumeEvent.Started(
            operation.id(), operation.kind(), identity.plugin(), operation.usage());
    if (cleanup.isTold(operation)) {
      parts.events().accept(start);
      started = start;
    }
    show();
    new OperationStart(this, dead, run).begin(operation);
  }

  /** Notes that the callers of the last started operation have their answer. */
  private void answered() {
    unanswered = null;
  }

  // ---- the running operation

  /** Returns the context in which a call of the running operation is sent. */
  WorkContext calling(CsiOperation call) {
    VolumeEvent.Started start = started;
    return start == null ? WorkContext.none() : parts.calling().apply(start, call);
  }

  /**
   * Reports a call of the running operation.
   *
   * @param to the plugin that was called
   * @param asked the time when the operation requested the call, by the clock
   */
  void called(NodePlugin to, CsiOperation call, Answer answer, long asked) {
    VolumeEvent.Started start = started;
    if (start != null) {
      parts
          .events()
          .accept(
              new VolumeEvent.Called(
                  start.id(),
                  identity.plugin(),
                  call,
                  CallMeaning.status(answer),
                  answer.isSent(),
                  Duration.ofNanos(parts.clock().nanos() - asked),
                  to.endpoint()));
    }
  }

  /** Runs work in the mailbox, unless the operation has ended meanwhile. */
  void ifCurrent(Operation operation, Runnable work) {
    mailbox.put(
        () -> {
          if (current != null && current.id().equals(operation.id())) {
            work.run();
          }
        });
  }

  /**
   * Returns whether no operation is running, other than a query of the health, which changes
   * nothing.
   */
  boolean isFree() {
    Operation now = current;
    return now == null || now instanceof Operation.Health;
  }

  /** Returns whether no operation is running or waiting. */
  boolean isEmpty() {
    return isFree() && waiting.isEmpty();
  }

  /** Returns whether a use is on record, or an operation for it is running or waiting. */
  boolean isSpokenOf(VolumeUse usage) {
    Operation now = current;
    return memory.use(usage).isPresent()
        || (now != null && now.usage().filter(usage::equals).isPresent())
        || waiting.stream().anyMatch(next -> next.usage().filter(usage::equals).isPresent());
  }

  // ---- the health of the volume

  /**
   * Checks the mounts of the volume, and asks the plugin for its faults. Does neither while an
   * operation is running or waiting; an operation that arrives meanwhile waits for the answer.
   *
   * @param offer the faults that the plugin can report
   * @param isUp whether the plugin is available; otherwise its earlier reports remain valid
   * @param then receives whether the plugin has answered, or was not asked
   */
  void askHealth(HealthOffer offer, boolean isUp, Consumer<Boolean> then) {
    Operation asking = new Operation.Health(engine.nextId(), offer);
    asking.end().whenComplete((told, failure) -> then.accept(!Boolean.FALSE.equals(told)));
    mailbox.put(
        () -> {
          boolean isBusy = current != null || !waiting.isEmpty();
          if (isBusy || engine.index.isClosing() || memory.record().isEmpty()) {
            asking.end().complete(true);
            return;
          }
          current = asking;
          try {
            if (isUp && !offer.volumes() && !offer.conditions()) {
              engine.health.untold(identity);
            }
            run.clear();
            new OperationStart(this, dead, run).begin(asking);
          } catch (RuntimeException | Error broken) {
            Failures.rethrowEnd(broken);
            healthAsked(asking, true);
            throw broken;
          }
        });
  }

  /**
   * Handles the end of a query of the health.
   *
   * @param isAnswered whether the plugin has answered, or was not asked
   */
  void healthAsked(Operation asking, boolean isAnswered) {
    current = null;
    run.clear();
    asking.end().complete(isAnswered);
    if (!waiting.isEmpty()) {
      proceed();
    }
  }

  // ---- the end of operations

  /** Ends an operation with the value that it read. */
  void read(Operation operation, Object value) {
    ended(Optional.empty());
    operation.end().complete(value);
    answered();
    proceed();
  }

  /** Handles the end of the steps of an operation. */
  void finish(Operation operation, Result result) {
    // The record is written before an event or the result reports the end.
    memory.settle();
    boolean isDone = result instanceof Result.Published || result instanceof Result.Withdrawn;
    boolean isNew = run.turn().filter(turn -> turn.sent().contains(Verb.PUBLISH)).isPresent();
    if (result instanceof Result.Published && isNew) {
      run.turn().flatMap(Turn::usage).ifPresent(this::isWell);
    }
    if (operation instanceof Operation.Repair && !engine.isStopped()) {
      if (isDone || goesOn(operation, result)) {
        new OperationStart(this, dead, run).repair(operation);
        return;
      }
    }
    if (result instanceof Result.Released) {
      // The cleanup of a volume also counts as its last use's, if its staging could not end with
      // that use.
      operation
          .usage()
          .or(() -> run.turn().flatMap(turn -> turn.before().leaving()))
          .ifPresent(report::released);
    }
    if (memory.forgetIfEmpty()) {
      if (isLate) {
        report.tell(
            new Notice(
                OperatorCode.ORPHAN_CLEANED,
                "it had appeared after the release of the volume",
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
   * Keeps the failure to repair the mount of one use; returns whether the other uses may be tried.
   * They may not if the plugin gets no calls at all, or may still work on one.
   */
  private boolean goesOn(Operation operation, Result result) {
    Optional<VolumeUse> usage = run.turn().flatMap(Turn::usage);
    Optional<VolumeException> failure = report.failure(operation, result, usage);
    boolean mayGoOn = dead.failed(failure.map(VolumeException::code));
    repairFailure = repairFailure.or(() -> failure);
    return mayGoOn && failure.filter(it -> !ENDS_REPAIRS.contains(it.code())).isPresent();
  }

  /** Ends an operation, possibly before its first step. */
  void end(Operation operation, Result result) {
    memory.settle();
    Optional<VolumeException> failure =
        repairFailure.or(() -> report.failure(operation, result, operation.usage()));
    repairFailure = Optional.empty();
    if (failure.filter(it -> it.code() == OperatorCode.MOUNT_NOT_VISIBLE).isPresent()) {
      engine.foreign.lookForUnexpected().forEach(engine::tell);
    }
    dead.keepOnly(memory.record());
    if (failure.filter(it -> it.code() == OperatorCode.MOUNT_DEAD).isPresent()) {
      dead.look();
    }
    boolean isRefresh = operation instanceof Operation.Refresh;
    if (isRefresh && failure.filter(it -> it.code() == OperatorCode.MOUNT_LOST).isPresent()) {
      // The change is reported, and repaired if the policy says so, as soon as no operation is
      // running.
      dead.changed(operation.usage().map(usage -> parts.layout().target(identity, usage)));
    }
    if (isRefresh
        || refreshes != null
        || (failure.isEmpty() && isMade(operation) && mayRefresh())) {
      refreshes().ended(operation, failure);
    }
    OperatorMessage before = trouble;
    if (isOfTheVolume(operation, failure)) {
      trouble =
          failure
              .map(VolumeException::operatorMessage)
              .orElse(cleanup.owed().isPresent() ? before : null);
    }
    if (trouble != null && (before == null || before.code() != trouble.code())) {
      troubled = parts.clock().nanos();
    }
    boolean isKept =
        failure.isPresent()
            && (run.unpublishFailed() || failure.get().code() == OperatorCode.STILL_MOUNTED);
    if (isKept && started != null && operation instanceof Operation.Release) {
      operation.usage().ifPresent(this::tellWhoHolds);
    }
    if (!isRefresh) {
      cleanup.ended(operation, result, failure.isPresent());
    }
    ended(failure);
    if (failure.isPresent()) {
      operation.end().completeExceptionally(failure.get());
    } else if (result instanceof Result.Released released) {
      operation.end().complete(released.release());
    } else if (result instanceof Result.Withdrawn) {
      operation.end().complete(UnmountOutcome.NOT_LAST);
    } else {
      operation.end().complete(mounted(operation.usage().orElseThrow()));
    }
    answered();
    holdDevices();
    proceed();
  }

  /**
   * Returns whether the failure of an operation is an obstacle of the volume. The failure of a call
   * that mounts nothing is not, nor a refusal that has left nothing of its use.
   */
  private boolean isOfTheVolume(Operation operation, Optional<VolumeException> failure) {
    boolean isOfCaller =
        operation instanceof Operation.Refresh
            || CleanupSchedule.isRead(operation)
            || (operation instanceof Operation.Mount
                && failure.filter(it -> it.outcome() == Outcome.REFUSED).isPresent()
                && memory.record().isPresent()
                && operation.usage().flatMap(memory::use).isEmpty());
    return failure.isEmpty() || !isOfCaller;
  }

  private MountedVolume mounted(VolumeUse usage) {
    Path path = parts.layout().target(identity, usage).toPath();
    boolean readOnly = memory.use(usage).filter(TargetRecord::readOnly).isPresent();
    Plan plan = memory.record().orElseThrow().plan();
    return plan.block()
        ? new MountedVolume.BlockDevice(usage, path, readOnly)
        : new MountedVolume.Filesystem(
            usage,
            path,
            readOnly,
            Optional.of(plan.label()).filter(it -> !it.isEmpty()).map(SelinuxLabel::of),
            Optional.of(plan.group()).filter(it -> !it.isEmpty()));
  }

  private void ended(Optional<VolumeException> failure) {
    current = null;
    run.clear();
    // The view is updated first, because a caller that learns of the end may query the state at
    // once.
    show();
    VolumeEvent.Started start = started;
    if (start != null) {
      parts
          .events()
          .accept(
              new VolumeEvent.Ended(
                  start,
                  Duration.ofNanos(parts.clock().nanos() - begun),
                  failure.map(VolumeException::operatorMessage)));
      started = null;
    }
  }

  /**
   * Handles an unexpected exception. The callers of the last started operation still get an answer,
   * and the next operation starts.
   */
  private void broke(Throwable failure) {
    Failures.log(LOG, "Working on " + identity + " failed. Report this.", failure);
    Operation now = current;
    if (now != null && now instanceof Operation.Health) {
      healthAsked(now, true);
    }
    Operation operation = unanswered;
    if (operation != null) {
      try {
        endBroken(operation, failure);
      } catch (RuntimeException | Error again) {
        Failures.rethrowEnd(again);
        Failures.log(LOG, "Ending an operation on " + identity + " failed. Report this.", again);
        giveUp(operation, failure);
      }
    }
    try {
      proceed();
    } catch (RuntimeException | Error again) {
      Failures.rethrowEnd(again);
      Failures.log(LOG, "Continuing with " + identity + " failed. Report this.", again);
      goOnLater();
    }
  }

  private void endBroken(Operation operation, Throwable failure) {
    if (operation instanceof Operation.Release) {
      // The caller is notified that the release continues.
      operation.usage().ifPresent(memory::release);
    }
    end(operation, VolumeReport.broken(failure).as(Outcome.IN_PROGRESS));
  }

  /** Ends an operation whose regular end has failed, with only what its callers need. */
  private void giveUp(Operation operation, Throwable failure) {
    if (unanswered == operation) {
      run.clear();
      current = null;
      report.broke(operation, failure);
      answered();
    }
  }

  /** Reports which processes keep a target in use that the plugin could not unmount. */
  private void tellWhoHolds(VolumeUse usage) {
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
      LOG.log(Level.DEBUG, "The holders of " + target + " could not be determined.", e);
    }
  }

  /** Updates the view for other threads. */
  void show() {
    Optional<VolumeRecord> before = view.record();
    Optional<VolumeRecord> next = memory.record();
    boolean isBoth = before.isPresent() && next.isPresent();
    boolean isAnother =
        isBoth ? next.get().differsFrom(before.get()) : !before.isEmpty() || !next.isEmpty();
    if (isAnother) {
      next.ifPresent(engine.origins::begins);
    }
    view =
        new View(
            next,
            Optional.ofNullable(current).filter(now -> !isFree()).map(this::activity),
            Optional.ofNullable(trouble)
                .or(dead::trouble)
                .or(() -> Optional.ofNullable(refreshes).flatMap(RefreshSchedule::trouble)),
            trouble == null ? OptionalLong.empty() : OptionalLong.of(troubled),
            dead.uses(),
            dead.covered());
    if (isAnother) {
      before.ifPresent(record -> engine.origins.ended(record, next));
    }
  }

  /** Handles a mount that was found dead, or works again. */
  void deadChanged() {
    show();
    if (engine.health.isWatched(identity.plugin())) {
      memory
          .record()
          .flatMap(new VolumeQuestions(this, dead)::faults)
          .ifPresent(seen -> engine.health.seen(identity, seen));
    }
    cleanup.consider();
  }

  private View.Activity activity(Operation operation) {
    Optional<Turn> turn = run.turn();
    return new View.Activity(
        operation,
        run.isHeldBack()
            ? "waiting, because the retry budget of its plugin is used up (CSI-333),"
            : turn.map(Turn::doing).orElse("reading the mount table"),
        begun,
        turn.map(Turn::tries).map(Turn.Tries::calls).orElse(0),
        run.lastAnswer(),
        turn.map(Turn::step)
            .filter(step -> step instanceof Step.Pause && !run.isHeldBack())
            .map(step -> ((Step.Pause) step).time()),
        waiting.isEmpty()
            ? List.of()
            : waiting.stream().flatMap(next -> next.usage().stream()).toList());
  }

  // ---- background cleanup

  /** Checks whether there is background work to do now. */
  void wake() {
    aside(
        () -> {
          cleanup.again();
          cleanup.consider();
          considerRefresh();
        });
  }

  // ---- refreshes

  /**
   * Returns whether the policy of the plugin asks for refreshes; unknown before the plugin is
   * registered.
   */
  boolean mayRefresh() {
    NodePlugin plugin = plugin();
    return plugin instanceof NodePlugin.Absent || !plugin.policy().refreshInterval().isZero();
  }

  private RefreshSchedule refreshes() {
    RefreshSchedule made = refreshes == null ? new RefreshSchedule(this) : refreshes;
    refreshes = made;
    return made;
  }

  /** Notes that the plugin has published a use and the mount table shows it. */
  private void isWell(VolumeUse usage) {
    if (refreshes != null) {
      refreshes.isWell(usage);
    }
    dead.isWell(usage);
  }

  private void considerRefresh() {
    if (refreshes != null) {
      refreshes.consider();
    }
  }
}
