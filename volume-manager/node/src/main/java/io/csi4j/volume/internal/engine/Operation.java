package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.VolumeEvent;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An operation on a volume that a caller or background work has requested and that is waiting or
 * running.
 */
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

  /** Returns the number of the operation. */
  OperationId id() {
    return id;
  }

  /** Returns the kind of the operation in events. */
  VolumeEvent.Operation kind() {
    return kind;
  }

  /** Returns the use of the operation; empty for a volume without uses. */
  Optional<VolumeUse> usage() {
    return usage;
  }

  /** Returns the future that completes when the operation ends. */
  CompletableFuture<Object> end() {
    return end;
  }

  /**
   * Returns whether the other operation can share the result of this one, because both make the
   * same request.
   */
  boolean isSame(Operation other) {
    return false;
  }

  /** Mounts a use. */
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

  /** Publishes a use again with other contexts or secrets. */
  static final class Refresh extends Operation {
    final MountRequest request;

    Refresh(OperationId id, MountRequest request) {
      super(id, VolumeEvent.Operation.REFRESH, Optional.of(request.usage()));
      this.request = request;
    }
  }

  /** Releases a use, or a volume without uses. */
  static final class Release extends Operation {
    final Goal goal;

    /**
     * The operation has no effect if the use was requested after the operation with this number.
     */
    final long unlessAskedAfter;

    /** The operation has no effect if the use has another claim when the operation starts. */
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

    /** Returns a release that a caller has requested. */
    static Release asked(OperationId id, Goal goal) {
      return new Release(
          id, VolumeEvent.Operation.UNMOUNT, goal.use(), goal, Long.MAX_VALUE, Optional.empty());
    }

    /**
     * Returns a release as background work.
     *
     * @param unlessAskedAfter the release has no effect if the use was requested after the
     *     operation with this number
     */
    static Release background(
        OperationId id, Goal goal, Optional<VolumeUse> usage, long unlessAskedAfter) {
      return new Release(
          id, VolumeEvent.Operation.CLEAN_UP, usage, goal, unlessAskedAfter, Optional.empty());
    }

    /** Returns a release as background work for a use whose claim has ended. */
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

  /** Repairs dead mounts. */
  static final class Repair extends Operation {
    Repair(OperationId id, Optional<VolumeUse> usage) {
      super(id, VolumeEvent.Operation.REPAIR, usage);
    }
  }

  /** Queries or expands a mounted use, and changes no record. */
  abstract static sealed class Read extends Operation {
    private Read(OperationId id, VolumeEvent.Operation kind, VolumeUse usage) {
      super(id, kind, Optional.of(usage));
    }
  }

  /** Expands a volume on the node after the volume has grown. */
  static final class Expand extends Read {
    final ExpandRequest request;

    Expand(OperationId id, ExpandRequest request) {
      super(id, VolumeEvent.Operation.EXPAND, request.usage());
      this.request = request;
    }
  }

  /** Queries the usage of a volume. */
  static final class Stats extends Read {
    Stats(OperationId id, VolumeUse usage) {
      super(id, VolumeEvent.Operation.STATS, usage);
    }
  }

  /**
   * Queries the faults of a volume as background work. Never reported to listeners as an operation.
   */
  static final class Health extends Operation {
    /** The faults that the plugin can report. */
    final HealthOffer offer;

    Health(OperationId id, HealthOffer offer) {
      super(id, VolumeEvent.Operation.STATS, Optional.empty());
      this.offer = offer;
    }
  }
}
