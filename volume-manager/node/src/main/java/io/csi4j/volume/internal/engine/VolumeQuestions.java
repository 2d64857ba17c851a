package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.lifecycle.Result;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Calls for a volume that change no record: queries of its faults and usage, and its expansion.
 * Used only in the mailbox of the volume.
 */
final class VolumeQuestions {

  private static final String READ_ONLY = "MountReadOnly";

  /** Texts for the faults that this node finds at the mounts of a volume. */
  private static final Map<String, String> SEEN =
      Map.of(
          "MountLost",
          "the mount is gone",
          "MountDead",
          "the server of the mount has ended",
          READ_ONLY,
          "the filesystem takes no more writes");

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeQueue volume;
  private final VolumeIdentity identity;
  private final EngineParts parts;
  private final VolumeMemory memory;
  private final VolumeEngine engine;
  private final DeadMounts dead;

  VolumeQuestions(VolumeQueue volume, DeadMounts dead) {
    this.volume = volume;
    this.dead = dead;
    identity = volume.identity;
    parts = volume.parts;
    memory = volume.memory;
    engine = volume.engine;
  }

  // ---- the health of the volume

  /**
   * Checks the mounts of the volume. Also queries the plugin for faults, unless the plugin may
   * still be working on a call for the volume.
   */
  void health(Operation.Health asking, NodePlugin plugin) {
    HealthOffer offered = asking.offer;
    VolumeRecord known = memory.record().orElseThrow();
    faults(known).ifPresent(seen -> engine.health.seen(identity, seen));
    boolean isQuiet =
        engine.foreign.covering(identity).isEmpty()
            && !memory.isQuarantined(plugin)
            && known.targets().values().stream().noneMatch(VolumeQuestions::isUnderWay)
            && !isUnderWay(known.staging());
    Optional<NodeCall> question = isQuiet ? healthQuestion(known, offered) : Optional.empty();
    if (question.isEmpty()) {
      volume.healthAsked(asking, true);
      return;
    }
    plugin.call(
        question.get(),
        answer ->
            volume.ifCurrent(
                asking, () -> volume.healthAsked(asking, engine.health.told(identity, answer))));
  }

  private Optional<NodeCall> healthQuestion(VolumeRecord known, HealthOffer offered) {
    Optional<MountPath> target =
        known.targets().values().stream()
            .filter(use -> offered.volumes() || use.path().is(PathStatus.PRESENT))
            .map(use -> target(use.usage()))
            .findFirst();
    Optional<MountPath> staged = known.plan().staged() ? Optional.of(staging()) : Optional.empty();
    if (offered.volumes()) {
      return Optional.of(new NodeCall.Health(identity.handle(), target, staged));
    }
    return offered.conditions()
        ? target.map(
            path -> new NodeCall.Condition(new NodeCall.Stats(identity.handle(), path, staged)))
        : Optional.empty();
  }

  /**
   * Returns whether the plugin may be working on a call that mounts or releases a use. A refresh
   * does not count: after its quarantine, a refresh without an answer is treated as ended.
   */
  private static boolean isUnderWay(TargetRecord use) {
    return !use.path().is(PathStatus.PRESENT) && isUnderWay(use.path());
  }

  /** Returns whether the plugin may be working on a call with an uncertain result. */
  private static boolean isUnderWay(PathRecord path) {
    return path.pending().isPresent();
  }

  /**
   * Returns the faults that the mounts of the volume show; empty if the mounts cannot be read. Does
   * not wait for the servers of the mounts.
   */
  Optional<List<VolumeHealthEntry>> faults(VolumeRecord known) {
    if (engine.foreign.moved().isPresent()) {
      return Optional.empty();
    }
    Map<String, List<MountPath>> seen = new TreeMap<>();
    try {
      for (TargetRecord use : known.targets().values()) {
        MountPath path = target(use.usage());
        fault(use, path)
            .ifPresent(it -> seen.computeIfAbsent(it, none -> new ArrayList<>()).add(path));
      }
    } catch (MountException unreadable) {
      LOG.log(Level.DEBUG, "The mounts of " + identity + " could not be read.", unreadable);
      return Optional.empty();
    }
    return Optional.of(
        seen.entrySet().stream()
            .map(
                fault ->
                    VolumeHealthEntry.of(
                        fault.getKey().equals(READ_ONLY)
                            ? VolumeHealthEntry.Status.DEGRADED
                            : VolumeHealthEntry.Status.INACCESSIBLE,
                        HealthReason.of(fault.getKey()),
                        SEEN.get(fault.getKey()) + " at " + named(fault.getValue())))
            .toList());
  }

  private static String named(List<MountPath> paths) {
    return paths.get(0) + (paths.size() > 1 ? " and " + (paths.size() - 1) + " more" : "");
  }

  private Optional<String> fault(TargetRecord use, MountPath path) {
    Optional<Evidence> before = use.path().evidence();
    // If another program has removed a mount, its use is uncertain although no call is pending.
    boolean isExpected =
        use.path().is(PathStatus.PRESENT)
            || (use.path().is(PathStatus.IN_DOUBT) && !isUnderWay(use.path()));
    if (before.isEmpty() || !isExpected) {
      return Optional.empty();
    }
    List<Sighting> stack = parts.kernel().at(path);
    if (stack.isEmpty()) {
      return Optional.of("MountLost");
    }
    Sighting top = stack.get(stack.size() - 1);
    if (top.broken() || dead.uses().contains(use.usage())) {
      return Optional.of("MountDead");
    }
    boolean isOurs = top.evidence().looksLike(before.get());
    return isOurs && top.evidence().readOnly() && !before.get().readOnly()
        ? Optional.of(READ_ONLY)
        : Optional.empty();
  }

  // ---- expansion and statistics

  /**
   * Queries or expands a mounted target. Ends the operation if the plugin does not support the
   * call.
   */
  void read(Operation.Read operation, VolumeRecord known, PluginAnswer.Up up, NodePlugin plugin) {
    Optional<Failure> missing = notOffered(operation, up);
    if (missing.isPresent()) {
      volume.end(operation, missing.get().as(VolumeException.Outcome.REFUSED));
      return;
    }
    long began = parts.clock().nanos();
    NodeCall call = readCall(operation, operation.usage().orElseThrow(), known);
    plugin.call(
        call,
        volume.calling(call.operation()),
        answer ->
            volume.ifCurrent(
                operation,
                () -> {
                  volume.called(plugin, call.operation(), answer, began);
                  readEnded(operation, answer);
                }));
  }

  private void readEnded(Operation.Read operation, Answer answer) {
    Optional<Object> value = value(operation, answer);
    if (value.isEmpty()) {
      volume.end(operation, end(operation, answer));
      return;
    }
    volume.read(operation, value.get());
  }

  private NodeCall readCall(Operation.Read operation, VolumeUse usage, VolumeRecord known) {
    MountPath target = target(usage);
    Optional<MountPath> staging = known.plan().staged() ? Optional.of(staging()) : Optional.empty();
    return operation instanceof Operation.Expand expand
        ? new NodeCall.Expand(expand.request, identity.handle(), target, staging)
        : new NodeCall.Stats(identity.handle(), target, staging);
  }

  /** Returns the failure if the plugin does not support the call of an operation. */
  private static Optional<Failure> notOffered(Operation.Read operation, PluginAnswer.Up up) {
    boolean isExpand = operation instanceof Operation.Expand;
    return (isExpand ? up.offersExpand() : up.offersStats())
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.NOT_OFFERED,
                "the node service of the plugin does not offer "
                    + (isExpand
                        ? "EXPAND_VOLUME; a volume that its controller has expanded then needs "
                            + "nothing on the node"
                        : "GET_VOLUME_STATS")));
  }

  /** Returns the value for the caller; empty if the call failed or returned no statistics. */
  private static Optional<Object> value(Operation.Read operation, Answer answer) {
    if (!answer.isOk()) {
      return Optional.empty();
    }
    return operation instanceof Operation.Stats
        ? answer.value().filter(VolumeStats.class::isInstance)
        : Optional.of(
            answer
                .value()
                .filter(Long.class::isInstance)
                .map(bytes -> OptionalLong.of((Long) bytes))
                .orElse(OptionalLong.empty()));
  }

  /** Returns the result of an operation whose call returned no value. */
  private static Result end(Operation.Read operation, Answer answer) {
    Failure failure = failure(answer);
    boolean mayHaveGrown =
        operation instanceof Operation.Expand
            && CallMeaning.status(answer) != StatusCode.DATA_LOSS
            && answer.thrown().filter(it -> it.outcome() == Outcome.UNCERTAIN).isPresent();
    return failure.as(
        mayHaveGrown ? VolumeException.Outcome.IN_PROGRESS : VolumeException.Outcome.REFUSED);
  }

  /** Returns the failure for an answer without a value. */
  private static Failure failure(Answer answer) {
    return new Failure(
        OperatorCode.CALL_FAILED,
        answer.isOk()
            ? "the call ended without statistics"
            : "the call ended with " + CallMeaning.clause(answer),
        answer.thrown().map(Throwable.class::cast));
  }

  private MountPath staging() {
    return parts.layout().staging(identity);
  }

  private MountPath target(VolumeUse usage) {
    return parts.layout().target(identity, usage);
  }
}
