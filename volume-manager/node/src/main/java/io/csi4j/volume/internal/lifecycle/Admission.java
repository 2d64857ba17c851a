package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides whether a volume may be published for another workload, from the record of the volume.
 */
public final class Admission {

  private Admission() {}

  /** Returns why the volume must not be published; empty if it may be published. */
  public static Optional<Failure> refusal(VolumeRecord record, Goal.Publish goal) {
    return holders(record, goal).or(() -> differences(record, goal));
  }

  /**
   * Returns a failure if a requested mount differs from the mounted volume in a way that is not
   * allowed.
   */
  static Optional<Failure> differences(VolumeRecord record, Goal.Publish goal) {
    if (record.targets().isEmpty()) {
      return Optional.empty();
    }
    List<String> names = new ArrayList<>(record.plan().differences(goal.plan()));
    record
        .target(goal.usage())
        .filter(target -> !target.path().is(PathStatus.GOING))
        .filter(target -> target.readOnly() != goal.readOnly())
        .ifPresent(
            target ->
                names.add(
                    Plan.difference(
                        "read-only",
                        Boolean.toString(target.readOnly()),
                        Boolean.toString(goal.readOnly()))));
    // Repairs and refreshes may differ in the contexts, because they use the contexts of the host's
    // last request.
    if (!goal.keeps() && record.isPresent() && record.plan().isAttachedOtherwise(goal.plan())) {
      names.add("publish context (not shown, as it may hold secrets)");
    }
    if (!goal.keeps() && isPublishedOtherwise(record, goal)) {
      names.add("volume context (not shown, as it may hold secrets)");
    }
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.OPTIONS_DIFFER,
                "it is used in another way by "
                    + who(record, goal, target -> true)
                    + "; these differ: "
                    + String.join(", ", names)));
  }

  /** Returns whether the volume is mounted for this use with another volume context. */
  private static boolean isPublishedOtherwise(VolumeRecord record, Goal.Publish goal) {
    String known = record.contexts().getOrDefault(goal.usage(), "");
    return Digests.isInForce(known)
        && !known.equals(goal.context())
        && record
            .target(goal.usage())
            .filter(target -> target.path().is(PathStatus.PRESENT))
            .isPresent();
  }

  /** The number of uses that may have a volume at the same time. */
  private enum Room {
    ONE,
    ONE_WRITER,
    MANY
  }

  private static Room room(AccessMode mode) {
    return switch (mode) {
      case SINGLE_NODE_WRITER, SINGLE_NODE_READER_ONLY, SINGLE_NODE_SINGLE_WRITER -> Room.ONE;
      case MULTI_NODE_SINGLE_WRITER -> Room.ONE_WRITER;
      case SINGLE_NODE_MULTI_WRITER,
          MULTI_NODE_READER_ONLY,
          MULTI_NODE_MULTI_WRITER,
          UNSPECIFIED,
          UNRECOGNIZED ->
          Room.MANY;
    };
  }

  /** Returns whether another use of the volume may prevent this publication. */
  static boolean isForOne(Goal.Publish goal) {
    return room(goal.plan().mode()) != Room.MANY;
  }

  private static Optional<Failure> holders(VolumeRecord record, Goal.Publish goal) {
    Predicate<TargetRecord> other = target -> !target.usage().equals(goal.usage());
    AccessMode mode = goal.plan().mode();
    Predicate<TargetRecord> inTheWay =
        switch (room(mode)) {
          case ONE -> other;
          case ONE_WRITER -> other.and(target -> !target.readOnly() && !goal.readOnly());
          case MANY -> target -> false;
        };
    return record.targets().values().stream().anyMatch(inTheWay)
        ? Optional.of(
            Failure.of(
                OperatorCode.VOLUME_IN_USE,
                "access mode "
                    + ModeNames.limit(mode)
                    + ", and the volume is held by "
                    + who(record, goal, inTheWay)
                    + shared(record.plan().mode(), mode)))
        : Optional.empty();
  }

  /**
   * Returns a hint to request the access mode that the volume is mounted with; empty if that would
   * not help.
   */
  private static String shared(AccessMode mounted, AccessMode requested) {
    return mounted != requested && room(mounted) == Room.MANY
        ? "; it is mounted with " + mounted + ", which admits several workloads: request that mode"
        : "";
  }

  private static String who(VolumeRecord record, Goal.Publish goal, Predicate<TargetRecord> which) {
    return record.targets().values().stream()
        .filter(which)
        .map(target -> word(target.usage(), goal.usage(), target.path().status()))
        .limit(5)
        .collect(Collectors.joining(", "));
  }

  private static String word(VolumeUse usage, VolumeUse asking, PathStatus status) {
    return (usage.equals(asking) ? "this workload" : "workload '" + usage.workload() + "'")
        + switch (status) {
          case GOING -> " (being released)";
          case IN_DOUBT -> " (uncertain)";
          case PRESENT, DEAD, NONE -> "";
        };
  }
}
