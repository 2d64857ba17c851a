package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.internal.lifecycle.Admission;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Starts one operation of a volume. Queries the capabilities of the plugin if the goal depends on
 * them, and passes the goal to {@link OperationRun}. An operation that cannot start ends here. Used
 * only in the mailbox of the volume.
 */
final class OperationStart {

  private static final Failure UNSTAGES_NO_MORE =
      Failure.of(
          OperatorCode.CAPABILITY_LOST,
          "it is staged, but the plugin no longer offers STAGE_UNSTAGE_VOLUME and does not "
              + "implement NodeUnstageVolume");

  private final VolumeQueue volume;
  private final VolumeMemory memory;
  private final VolumeEngine engine;
  private final DeadMounts dead;
  private final OperationRun run;
  private final NodePlugin plugin;

  OperationStart(VolumeQueue volume, DeadMounts dead, OperationRun run) {
    this.volume = volume;
    this.dead = dead;
    this.run = run;
    memory = volume.memory;
    engine = volume.engine;
    plugin = volume.plugin();
  }

  /** Starts an operation, or ends it immediately. */
  void begin(Operation operation) {
    if (operation instanceof Operation.Health health) {
      new VolumeQuestions(volume, dead).health(health, plugin);
      return;
    }
    boolean isRelease = operation instanceof Operation.Release;
    Optional<Failure> covered = engine.foreign.seen(volume.identity, operation.usage());
    if (covered.isPresent()) {
      operation.usage().filter(use -> isRelease).ifPresent(memory::release);
      volume.end(
          operation,
          isRelease || operation instanceof Operation.Repair
              ? covered.get().as(Outcome.IN_PROGRESS)
              : covered.get().as(Outcome.REFUSED));
    } else if (operation instanceof Operation.Mount mount) {
      volume.parts.points().at(CrashPoint.ADMITTED);
      beginMount(mount);
    } else if (operation instanceof Operation.Refresh refresh) {
      beginRefresh(refresh);
    } else if (operation instanceof Operation.Release release) {
      beginRelease(release);
    } else if (operation instanceof Operation.Repair) {
      ask(operation, up -> repair(operation));
    } else if (operation instanceof Operation.Read read) {
      beginRead(read);
    }
  }

  /** Starts the next goal of a repair, or ends the repair. */
  void repair(Operation operation) {
    Optional<VolumeRecord> known = memory.record();
    dead.keepOnly(known);
    Optional<Goal> goal = known.flatMap(dead::next);
    if (goal.isPresent()) {
      run.goFor(operation, goal.get(), known.orElseThrow(), volume.plugin());
    } else {
      volume.end(operation, new Result.Withdrawn());
    }
  }

  private boolean isUnder(ClaimMark claim, Optional<VolumeUse> usage) {
    return usage.flatMap(memory::use).filter(it -> it.claim().epoch() == claim.epoch()).isPresent();
  }

  private void beginRelease(Operation.Release operation) {
    Optional<VolumeUse> usage = operation.usage();
    boolean isWanted =
        usage.filter(it -> engine.index.askedFor(it) > operation.unlessAskedAfter).isPresent()
            || operation.under.filter(over -> !isUnder(over, usage)).isPresent();
    if (isWanted) {
      volume.end(operation, new Result.Released(UnmountOutcome.NOT_LAST));
      return;
    }
    Optional<VolumeRecord> known = memory.record().map(memory::withStrays);
    if (known.isEmpty()) {
      volume.end(operation, new Result.Released(UnmountOutcome.UNKNOWN));
      return;
    }
    memory.set(known.get());
    usage.or(known.get()::leaving).ifPresent(volume.report::releasing);
    boolean needsPlugin = !(operation.goal instanceof Goal.Abandon);
    if (!needsPlugin || (!memory.isQuarantined(plugin) && !memory.isCallMissing())) {
      run.goFor(operation, operation.goal, known.get(), plugin);
      return;
    }
    // A new process of the plugin does not continue the calls of its predecessor, so the engine
    // first determines which process is running. If the plugin lacked a call, the engine also
    // queries its capabilities again before the next call.
    plugin.facts(
        answer ->
            volume.ifCurrent(
                operation,
                () -> {
                  heard(answer);
                  if (answer instanceof PluginAnswer.Up up) {
                    if (memory.isCallMissing() && known.get().targets().isEmpty() && !up.stages()) {
                      volume.end(operation, UNSTAGES_NO_MORE.as(Outcome.IN_PROGRESS));
                      return;
                    }
                    memory.offered();
                  } else if (memory.isCallMissing()) {
                    // The plugin lacked a call before. The call must wait until the plugin's
                    // present capabilities are known.
                    volume.end(
                        operation,
                        VolumeReport.down((PluginAnswer.Down) answer).as(Outcome.IN_PROGRESS));
                    return;
                  }
                  run.goFor(operation, operation.goal, known.get(), plugin);
                }));
  }

  private void heard(PluginAnswer answer) {
    if (answer instanceof PluginAnswer.Up up) {
      run.offers(up.health());
      engine.watch.heard(volume.identity.plugin(), plugin.instance(), Optional.of(up.stages()));
    }
  }

  private void beginMount(Operation.Mount operation) {
    MountRequest request = operation.request;
    if (!isRefused(request)) {
      dead.remember(request);
    }
    volume.report.mounting(request.usage());
    Optional<VolumeRecord> known = memory.record();
    boolean isThere =
        memory.use(request.usage()).filter(use -> use.path().is(PathStatus.PRESENT)).isPresent();
    if (known.isPresent() && isThere) {
      // For an existing mount, the capabilities of the plugin are not needed.
      publish(operation, Goal.Publish.of(request, known.get()));
      return;
    }
    if (engine.index.isDrained(volume.identity.plugin())) {
      volume.end(operation, Failure.of(OperatorCode.PLUGIN_DRAINING, "").as(Outcome.REFUSED));
      return;
    }
    Consumer<PluginAnswer.Up> admitted =
        up -> {
          Goal.Publish goal =
              Goal.Publish.of(request, memory.record(), up, plugin.policy().takesSelinuxLabel());
          tellOfReplaced(Goal.Publish.mode(request, memory.record()), goal);
          Optional<Failure> unreachable =
              plugin.policy().refuseUnreachableStorage()
                  ? engine.health.unreachable(
                      volume.identity.plugin(),
                      request.capability().withAccessMode(goal.plan().mode()))
                  : Optional.empty();
          if (unreachable.isPresent()) {
            volume.end(operation, unreachable.get().as(Outcome.REFUSED));
          } else {
            publish(operation, goal);
          }
        };
    plugin.knownFacts(ifUp(operation, admitted));
  }

  /** Publishes a use again, if the plugin is available. */
  private void beginRefresh(Operation.Refresh operation) {
    MountRequest request = operation.request;
    Optional<Failure> refusal = unreadable(memory.use(request.usage()));
    if (refusal.isPresent()) {
      volume.end(operation, refusal.get().as(Outcome.REFUSED));
      return;
    }
    ask(
        operation,
        up -> {
          VolumeRecord known = memory.record().orElseThrow();
          run.goFor(
              operation,
              new Goal.Refresh(Goal.Publish.of(request, known).keeping()),
              known,
              plugin);
        });
  }

  /**
   * Reports that the plugin is called with another access mode than the requested mode, once for
   * each plugin.
   */
  private void tellOfReplaced(AccessMode asked, Goal.Publish goal) {
    AccessMode mode = goal.plan().mode();
    if (mode != asked
        && engine.isFirst(OperatorCode.ACCESS_MODE_REPLACED, volume.identity.plugin())) {
      volume.report.tell(
          new Notice(
              OperatorCode.ACCESS_MODE_REPLACED,
              mode
                  + " is sent for "
                  + asked
                  + ", because the plugin does not offer SINGLE_NODE_MULTI_WRITER; this is "
                  + "reported once for each plugin",
              goal.use()));
    }
  }

  /**
   * Returns whether the request conflicts with the record. Such a request is never used to repair a
   * mount.
   */
  private boolean isRefused(MountRequest request) {
    return memory
        .record()
        .flatMap(known -> Admission.refusal(known, Goal.Publish.of(request, known)))
        .isPresent();
  }

  private void publish(Operation operation, Goal.Publish goal) {
    VolumeRecord known = memory.before(goal);
    if (!known.targets().isEmpty()) {
      memory.set(known);
    }
    run.goFor(operation, goal, known, plugin);
  }

  /** Queries the capabilities of the plugin, and continues if the plugin is available. */
  private void ask(Operation operation, Consumer<PluginAnswer.Up> then) {
    plugin.facts(ifUp(operation, then));
  }

  /**
   * Returns a handler that continues the operation if the plugin is available, and otherwise ends
   * it.
   */
  private Consumer<PluginAnswer> ifUp(Operation operation, Consumer<PluginAnswer.Up> then) {
    return answer ->
        volume.ifCurrent(
            operation,
            () -> {
              if (answer instanceof PluginAnswer.Up up) {
                heard(up);
                then.accept(up);
              } else {
                volume.end(
                    operation, VolumeReport.down((PluginAnswer.Down) answer).as(Outcome.REFUSED));
              }
            });
  }

  /** Queries or expands a mounted use, if the plugin is available. */
  private void beginRead(Operation.Read operation) {
    Optional<Failure> refusal = unreadable(memory.use(operation.usage().orElseThrow()));
    if (refusal.isPresent()) {
      volume.end(operation, refusal.get().as(Outcome.REFUSED));
      return;
    }
    VolumeRecord known = memory.record().orElseThrow();
    ask(operation, up -> new VolumeQuestions(volume, dead).read(operation, known, up, plugin));
  }

  /** Returns why a use cannot be queried, expanded or refreshed; empty if it is mounted. */
  private static Optional<Failure> unreadable(Optional<TargetRecord> use) {
    return use.filter(there -> there.path().is(PathStatus.PRESENT)).isPresent()
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.NOT_MOUNTED,
                use.map(there -> "it is " + there.path().status()).orElse("there is no such use")));
  }
}
