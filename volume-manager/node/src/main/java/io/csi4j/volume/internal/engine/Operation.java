package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.ExpandRequest;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.VolumeEvent;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An operation that a caller or the background asked for: it waits for its turn, or has it. */
abstract sealed class Operation {

  private final OperationId id;
  private final VolumeEvent.Operation kind;
  private final Optional<VolumeUse> usage;
  private final CompletableFuture<Object> end = new CompletableFuture<>();

  private Operation(OperationId id, VolumeEvent.Operation kind, Optional<VolumeUse> usage) {
    this.id = id;
    this.kind = kind;
    this.usage = usage;
  }

  /** Its number. */
  OperationId id() {
    return id;
  }

  /** Returns its kind in events. */
  VolumeEvent.Operation kind() {
    return kind;
  }

  /** The use it is about; empty when it is about a volume without uses. */
  Optional<VolumeUse> usage() {
    return usage;
  }

  /** Ends when the operation does. */
  CompletableFuture<Object> end() {
    return end;
  }

  /** Whether the other operation can end with this one, as both ask for the same. */
  boolean isSame(Operation other) {
    return false;
  }

  /** A mount. */
  static final class Mount extends Operation {
    final MountRequest request;

    Mount(OperationId id, MountRequest request) {
      super(id, VolumeEvent.Operation.MOUNT, Optional.of(request.usage()));
      this.request = request;
    }

    @Override
    boolean isSame(Operation other) {
      return other instanceof Mount mount && request.equals(mount.request);
    }
  }

  /** A use that is published with other contexts or secrets from now on. */
  static final class Refresh extends Operation {
    final MountRequest request;

    Refresh(OperationId id, MountRequest request) {
      super(id, VolumeEvent.Operation.REFRESH, Optional.of(request.usage()));
      this.request = request;
    }
  }

  /** The end of a use, or of a volume without uses. */
  static final class Release extends Operation {
    final Goal goal;

    /** Nothing is done if the use was asked for after this operation. */
    final long unlessAskedAfter;

    /** Nothing is done if the use has another claim by then. */
    final Optional<ClaimMark> under;

    private Release(
        OperationId id,
        VolumeEvent.Operation kind,
        Optional<VolumeUse> usage,
        Goal goal,
        long unlessAskedAfter,
        Optional<ClaimMark> under) {
      super(id, kind, usage);
      this.goal = goal;
      this.unlessAskedAfter = unlessAskedAfter;
      this.under = under;
    }

    /** A release that a caller asked for. */
    static Release asked(OperationId id, Goal goal) {
      return new Release(
          id, VolumeEvent.Operation.UNMOUNT, goal.use(), goal, Long.MAX_VALUE, Optional.empty());
    }

    /**
     * A release in the background.
     *
     * @param unlessAskedAfter nothing is done if the use was asked for after this operation
     */
    static Release background(
        OperationId id, Goal goal, Optional<VolumeUse> usage, long unlessAskedAfter) {
      return new Release(
          id, VolumeEvent.Operation.CLEAN_UP, usage, goal, unlessAskedAfter, Optional.empty());
    }

    /** A release in the background of a use whose claim is over. */
    static Release unclaimed(OperationId id, VolumeUse usage, ClaimMark over) {
      return new Release(
          id,
          VolumeEvent.Operation.CLEAN_UP,
          Optional.of(usage),
          new Goal.Release(usage),
          Long.MAX_VALUE,
          Optional.of(over));
    }

    @Override
    boolean isSame(Operation other) {
      return other instanceof Release release
          && goal.equals(release.goal)
          && unlessAskedAfter == release.unlessAskedAfter
          && under.equals(release.under);
    }
  }

  /** The repair of dead mounts. */
  static final class Repair extends Operation {
    Repair(OperationId id, Optional<VolumeUse> usage) {
      super(id, VolumeEvent.Operation.REPAIR, usage);
    }
  }

  /** A question about a mounted use, which changes nothing on record. */
  abstract static sealed class Read extends Operation {
    private Read(OperationId id, VolumeEvent.Operation kind, VolumeUse usage) {
      super(id, kind, Optional.of(usage));
    }
  }

  /** An expansion: the node notices that a volume has grown. */
  static final class Expand extends Read {
    final ExpandRequest request;

    Expand(OperationId id, ExpandRequest request) {
      super(id, VolumeEvent.Operation.EXPAND, request.usage());
      this.request = request;
    }
  }

  /** Statistics: how full a volume is. */
  static final class Stats extends Read {
    Stats(OperationId id, VolumeUse usage) {
      super(id, VolumeEvent.Operation.STATS, usage);
    }
  }

  /** A question for the faults of a volume, in the background; never reported as an operation. */
  static final class Health extends Operation {
    /** The faults that the plugin can report. */
    final HealthOffer offer;

    Health(OperationId id, HealthOffer offer) {
      super(id, VolumeEvent.Operation.STATS, Optional.empty());
      this.offer = offer;
    }
  }
}
