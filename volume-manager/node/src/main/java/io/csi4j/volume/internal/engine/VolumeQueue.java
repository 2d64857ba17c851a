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
 * One volume with its queue of operations and its background cleanup. The operations run one after
 * the other. All members except {@link #view} are used only in the mailbox of the volume.
 */
final class VolumeQueue {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  /** The failures after which a repair does not try the other uses. */
  private static final Set<OperatorCode> ENDS_REPAIRS =
      Set.of(OperatorCode.PLUGIN_NOT_UP, OperatorCode.STEP_FAILED);

  /** The pause after a failed start of work before the next start. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** The time after which the engine reports that a device takes long to open. */
  private static final Duration SLOW_DEVICE = Duration.ofSeconds(10);

  // The helper classes that work on the volume share these fields.
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

  /** The uses whose names must be restored as soon as no operation is running. */
  private final Set<VolumeUse> names = new HashSet<>(0);

  /** Created when claims are checked for the first time. */
  private @Nullable ClaimChecks claims;

  /** Created when the volume is refreshed for the first time. */
  private @Nullable RefreshSchedule refreshes;

  private @Nullable Operation current;

  /** The operation that was started last; null as soon as its callers have received the result. */
  private @Nullable Operation unanswered;

  /**
   * The start event of that operation; null if the operation is not reported, or its end was
   * reported already.
   */
  private VolumeEvent.@Nullable Started started;

  private long begun;

  /** The devices that should be held open, by the paths of their device nodes. */
  private Map<MountPath, Device> devices = Map.of();

  /**
   * One attempt to open a device. A late result of an earlier attempt has another object, and is
   * ignored.
   */
  private static final class Device {
    /** Whether listeners were notified that the device is not held open. */
    boolean isTold;

    Device(boolean isTold) {
      this.isTold = isTold;
    }
  }

  /**
   * Whether the volume was released before, and everything that is known about it appeared after
   * that release.
   */
  private boolean isLate;

  private @Nullable OperatorMessage trouble;
  private long troubled;

  /** The first failure of the running repair. */
  private Optional<VolumeException> repairFailure = Optional.empty();

  private volatile View view = View.NOTHING;

  /**
   * The number of operations that were requested and have not ended; guarded by the lock of the
   * index.
   */
  int pending;

  /** The uses that the index maps to this volume; guarded by the lock of the index. */
  final Set<VolumeUse> indexed = new HashSet<>(2);

  /**
   * An immutable view of a volume for other threads.
   *
   * @param record the present record
   * @param activity the running operation
   * @param trouble the present obstacle
   * @param troubled the time when the obstacle appeared, in nanoseconds, if that is known
   * @param dead the uses whose mounts are known to be dead
   * @param covered the paths over which another program has mounted, as uses; empty stands for the
   *     staging path
   */
  record View(
      Optional<VolumeRecord> record,
      Optional<Activity> activity,
      Optional<OperatorMessage> trouble,
      OptionalLong troubled,
      Set<VolumeUse> dead,
      Set<Optional<VolumeUse>> covered) {

    /** The view of an unknown volume. */
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
     * @param doing the present step of the operation, as a phrase for people
     * @param since the time when the operation started, in nanoseconds
     * @param tries the number of attempts at the present call so far
     * @param answer the last answer of the plugin, if it was a failure
     * @param pause the pause before the next attempt, if the operation waits for it
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

  /** Returns the plugin of the volume, or a placeholder if the plugin is not registered. */
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
   * Runs work that is not part of an operation in the mailbox. If the work throws an exception, the
   * running operation continues, and the background work is planned again.
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

  /** Takes over a volume that was found at the start. Called before any operation. */
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

  /** Takes over a released volume that has reappeared. */
  void restoreLate(VolumeRecord found) {
    restore(found);
    isLate = true;
  }

  /** Handles a released volume whose mounts or directories exist again. */
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
   * Handles a tombstone whose time is over. If the volume was mounted again and has a record, the
   * tombstone is dropped: the record describes the present mounts, and its release will leave a new
   * tombstone.
   */
  void overdue(Tombstone tombstone) {
    aside(
        () -> {
          if (memory.isOnRecord()) {
            engine.tombstones.drop(tombstone);
          }
        });
  }

  /** Adds uses that have been mounted without a record to the known state of the volume. */
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

  /**
   * Checks whether mounts are dead. This may query the servers of the mounts; their answers arrive
   * later.
   */
  void inspect() {
    aside(
        () -> {
          dead.look();
          holdDevices();
        });
  }

  /** Holds the published devices open, if the policy requires it. */
  void hold() {
    aside(this::holdDevices);
  }

  /**
   * Holds the published devices open, if the policy requires it, and closes all other devices. If
   * the plugin is not registered, its devices stay as they are.
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

  /**
   * Handles the result of opening a device. A failure is reported once until the device could be
   * opened.
   */
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
   * Handles a mount that has appeared or disappeared in the directory of the volume. The path is
   * empty if any path may be affected.
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

  /** Checks the claims of the volume's uses. */
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

  /**
   * Restores the name of a use that is known only by its directory. The use is uncertain
   * afterwards.
   */
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

  /** Runs an operation after all earlier operations. */
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

  /** Ends the operations that have not started, with a failure. */
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

  /** Appends an operation to the queue, or lets it share the result of an equal operation. */
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
   * Ends the mounts and refreshes of a use that will be released: those that are waiting, and a
   * running one as soon as it can stop.
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

  /**
   * Lets an operation share the result of the last operation in the queue, if both make the same
   * request. Returns whether it does.
   */
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

  /**
   * Returns whether the given running operation already cleans up a volume without uses, which is
   * what the requested release would do.
   */
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
      // This is queued in the mailbox, because the end of the previous operation may be on the
      // stack.
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

  /** Notes that the callers of the last started operation have received the result. */
  private void answered() {
    unanswered = null;
  }

  // ---- the running operation

  /** Returns the context in which the engine sends a call of the running operation. */
  WorkContext calling(CsiOperation call) {
    VolumeEvent.Started start = started;
    return start == null ? WorkContext.none() : parts.calling().apply(start, call);
  }

  /**
   * Reports a call of the running operation.
   *
   * @param to the plugin that was called
   * @param asked the clock's time when the operation requested the call, in nanoseconds
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

  /** Runs work in the mailbox if the operation is still running by then. */
  void ifCurrent(Operation operation, Runnable work) {
    mailbox.put(
        () -> {
          if (current != null && current.id().equals(operation.id())) {
            work.run();
          }
        });
  }

  /**
   * Returns whether no operation is running. A health query does not count, because it changes
   * nothing.
   */
  boolean isFree() {
    Operation now = current;
    return now == null || now instanceof Operation.Health;
  }

  /** Returns whether no operation is running or waiting, apart from a running health query. */
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
   * Checks the mounts of the volume, and queries the plugin for faults. Does nothing while an
   * operation is running or waiting. An operation that is submitted during the query waits for the
   * plugin's answer.
   *
   * @param offer the faults that the plugin can report
   * @param isUp whether the plugin is available; if not, the faults that it reported earlier remain
   * @param then receives true if the plugin has answered or was not queried
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
   * Handles the end of a health query.
   *
   * @param isAnswered true if the plugin has answered or was not queried
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

  /** Ends an operation with the value that the plugin returned. */
  void read(Operation operation, Object value) {
    ended(Optional.empty());
    operation.end().complete(value);
    answered();
    proceed();
  }

  /** Handles the result of the last step of an operation. */
  void finish(Operation operation, Result result) {
    // The record is synced before an event or the caller's result reports the end.
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
      // If the volume could not be unstaged together with its last use, the cleanup of the volume
      // completes the release of that use.
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
   * Keeps the failure to repair the mount of one use, and returns whether the repair may try the
   * other uses. The repair stops if the volume could not be unstaged, if the plugin cannot be
   * called, or if a step ended with an unexpected exception.
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
      // The loss is reported as soon as no operation is running, and repaired if the policy
      // requires it.
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
   * Returns whether the result of an operation changes the obstacle that is reported for the
   * volume. A failed query, expansion or refresh does not, and neither does a refused mount that
   * left no trace of its use.
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
    // The view is updated before the end is reported, because a caller may query the state
    // immediately afterwards.
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
   * Handles an unexpected exception. The callers of the last started operation receive a failure,
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
      // The failure that the caller receives says that the release continues, so the use must be
      // recorded as being released.
      operation.usage().ifPresent(memory::release);
    }
    end(operation, VolumeReport.broken(failure).as(Outcome.IN_PROGRESS));
  }

  /** Ends an operation after the regular end has failed. Only completes the callers' futures. */
  private void giveUp(Operation operation, Throwable failure) {
    if (unanswered == operation) {
      run.clear();
      current = null;
      report.broke(operation, failure);
      answered();
    }
  }

  /** Reports which processes are using a target that the plugin could not unmount. */
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

  /** Handles the change of a mount that was found dead, or that works again. */
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
   * Returns whether the policy of the plugin may require refreshes. Returns true while the plugin
   * is not registered, because its policy is unknown then.
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
