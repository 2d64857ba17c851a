package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.lifecycle.Admission;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Release;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How an operation of one volume begins: asks what has to be known first, and starts its steps.
 * Used in the mailbox of the volume only.
 */
final class OperationStart {

  private static final Failure UNSTAGES_NO_MORE =
      Failure.of(
          OperatorCode.CAPABILITY_LOST,
          "it is staged, and the plugin neither offers STAGE_UNSTAGE_VOLUME any more nor has"
              + " NodeUnstageVolume");

  private final VolumeParts parts;
  private final OperationRun runner;
  private final DeadMountCare dead;
  private final ResumedUses resumed;
  private final VolumeQueue queue;

  OperationStart(
      VolumeParts parts,
      OperationRun runner,
      DeadMountCare dead,
      ResumedUses resumed,
      VolumeQueue queue) {
    this.parts = parts;
    this.runner = runner;
    this.dead = dead;
    this.resumed = resumed;
    this.queue = queue;
  }

  /** Begins it, or ends it at once. */
  void begin(Operation operation) {
    NodePlugin plugin = parts.plugin();
    Wish wish = operation.wish();
    Optional<Failure> covered = parts.engine().overmounted(parts.identity(), operation.usage());
    if (covered.isPresent()) {
      operation
          .usage()
          .filter(use -> wish instanceof Wish.Release)
          .ifPresent(parts.memory()::release);
      queue.end(
          operation,
          wish instanceof Wish.Release || wish instanceof Wish.Repair
              ? new Result.Unfinished(covered.get())
              : new Result.Refused(covered.get()));
    } else if (wish instanceof Wish.Repair) {
      ask(operation, plugin, up -> repair(operation));
    } else if (wish instanceof Wish.Release release) {
      beginRelease(operation, release, plugin);
    } else if (wish instanceof Wish.Mount mount) {
      parts.ports().points().at(CrashPoint.ADMITTED);
      beginMount(operation, mount.request(), plugin);
    } else {
      beginRead(operation, plugin);
    }
  }

  /** Begins the next goal of a repair, or ends it. */
  void repair(Operation operation) {
    NodePlugin plugin = parts.plugin();
    Optional<VolumeRecord> known = parts.memory().record();
    dead.keepOnly(known);
    Optional<Goal> goal = known.flatMap(dead::next);
    if (goal.isPresent()) {
      runner.begin(operation, goal.get(), known.orElseThrow(), plugin);
    } else {
      queue.end(operation, new Result.Withdrawn());
    }
  }

  private void beginRelease(Operation operation, Wish.Release release, NodePlugin plugin) {
    Optional<UsageKey> usage = operation.usage();
    if (usage.isPresent() && parts.engine().askedFor(usage.get()) > release.unlessAskedAfter()) {
      queue.end(operation, new Result.Released(Release.NOT_LAST));
      return;
    }
    Optional<VolumeRecord> known = parts.memory().record().map(parts.memory()::withStrays);
    if (known.isEmpty()) {
      queue.end(operation, new Result.Released(Release.UNKNOWN));
      return;
    }
    parts.memory().set(known.get());
    usage.flatMap(resumed::releasing).ifPresent(parts.report()::tell);
    boolean needsPlugin = !(release.goal() instanceof Goal.Abandon);
    if (!needsPlugin
        || (!parts.memory().isQuarantined(plugin) && !parts.memory().isCallMissing())) {
      runner.begin(operation, release.goal(), known.get(), plugin);
      return;
    }
    // Another process is not working on the calls of the one before it: a look shows which it is.
    // And one that had no such call is asked again what it has before it gets another.
    plugin.facts(
        answer ->
            ifCurrent(
                operation,
                () -> {
                  heard(plugin, answer);
                  if (answer instanceof PluginAnswer.Up up) {
                    if (parts.memory().isCallMissing()
                        && known.get().targets().isEmpty()
                        && !up.stages()) {
                      queue.end(operation, new Result.Unfinished(UNSTAGES_NO_MORE));
                      return;
                    }
                    parts.memory().offered();
                  }
                  runner.begin(operation, release.goal(), known.get(), plugin);
                }));
  }

  private void heard(NodePlugin plugin, PluginAnswer answer) {
    if (answer instanceof PluginAnswer.Up up) {
      parts.engine().heard(parts.identity().plugin(), plugin.instance(), Optional.of(up.stages()));
    }
  }

  private void beginMount(Operation operation, MountRequest request, NodePlugin plugin) {
    if (!isRefused(request)) {
      dead.remember(request);
    }
    resumed.mounting(request.usage()).ifPresent(parts.report()::tell);
    Optional<VolumeRecord> known = parts.memory().record();
    boolean isThere =
        parts
            .memory()
            .use(request.usage())
            .filter(use -> use.path().is(PathStatus.PRESENT))
            .isPresent();
    if (known.isPresent() && isThere) {
      // What is there is given again without asking the plugin what it can do.
      publish(
          operation,
          request,
          known.get().plan().staged(),
          PluginCalls.mode(request, known),
          plugin);
      return;
    }
    if (parts.engine().isDrained(parts.identity().plugin())) {
      queue.end(operation, new Result.Refused(Failure.of(OperatorCode.PLUGIN_DRAINING, "")));
      return;
    }
    ask(
        operation,
        plugin,
        up -> publish(operation, request, isStaged(up), mode(operation, request, up), plugin));
  }

  /** The access mode that the plugin is asked under: one that it knows, and tells of another. */
  private AccessMode mode(Operation operation, MountRequest request, PluginAnswer.Up up) {
    AccessMode asked = PluginCalls.mode(request, parts.memory().record());
    AccessMode known = up.knowsWriters() ? asked : asked.withoutSingleNodeMultiWriter();
    if (known != asked && parts.engine().isFirstReplaced(parts.identity().plugin())) {
      parts
          .report()
          .tell(
              new Notice(
                  OperatorCode.ACCESS_MODE_REPLACED,
                  known
                      + " is sent for "
                      + asked
                      + ", as the plugin does not offer SINGLE_NODE_MULTI_WRITER; this is said once"
                      + " for the plugin",
                  operation.usage()));
    }
    return known;
  }

  /** Whether the request is refused by the record: then no mount is ever made again in its way. */
  private boolean isRefused(MountRequest request) {
    return parts
        .memory()
        .record()
        .flatMap(known -> Admission.refusal(known, parts.requests().goal(request, known)))
        .isPresent();
  }

  /** Whether a volume is staged is decided at its first use, and kept until the last. */
  private boolean isStaged(PluginAnswer.Up up) {
    return parts
        .memory()
        .record()
        .filter(known -> !known.targets().isEmpty() && known.plan().isKnown())
        .map(known -> known.plan().staged())
        .orElse(up.stages());
  }

  private void publish(
      Operation operation,
      MountRequest request,
      boolean stages,
      AccessMode mode,
      NodePlugin plugin) {
    Goal.Publish goal =
        parts
            .requests()
            .goal(
                request,
                stages,
                mode,
                parts
                    .memory()
                    .use(request.usage())
                    .map(TargetRecord::claim)
                    .orElse(ClaimMark.NONE));
    VolumeRecord known = parts.memory().before(goal, request);
    if (!known.targets().isEmpty()) {
      parts.memory().set(known);
    }
    runner.begin(operation, goal, known, plugin);
  }

  /** Expanding and statistics: one call about a target that is there. */
  private void beginRead(Operation operation, NodePlugin plugin) {
    UsageKey usage = operation.usage().orElseThrow();
    Optional<Failure> refusal = TargetCalls.refusal(parts.memory().use(usage));
    if (refusal.isPresent()) {
      queue.end(operation, new Result.Refused(refusal.get()));
      return;
    }
    VolumeRecord known = parts.memory().record().orElseThrow();
    ask(
        operation,
        plugin,
        up -> {
          Optional<Failure> missing = TargetCalls.refusal(operation.wish(), up);
          if (missing.isPresent()) {
            queue.end(operation, new Result.Refused(missing.get()));
            return;
          }
          plugin.call(
              parts.requests().read(operation.wish(), usage, known),
              answer -> ifCurrent(operation, () -> readEnded(operation, answer)));
        });
  }

  private void readEnded(Operation operation, Answer answer) {
    Optional<Object> value = TargetCalls.value(operation.wish(), answer);
    if (value.isEmpty()) {
      queue.end(operation, TargetCalls.end(operation.wish(), answer));
      return;
    }
    queue.read(operation, value.get());
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
                    queue.end(
                        operation,
                        new Result.Refused(VolumeReport.down((PluginAnswer.Down) answer)));
                  }
                }));
  }

  /** Does this in the mailbox, unless the operation has ended meanwhile. */
  private void ifCurrent(Operation operation, Runnable work) {
    parts
        .mailbox()
        .put(
            () -> {
              if (queue.isCurrent(operation)) {
                work.run();
              }
            });
  }
}
