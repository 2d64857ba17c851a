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

/** An operation that a caller or the background has requested. It is waiting or running. */
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

  /** Completes when the operation ends. */
  CompletableFuture<Object> end() {
    return end;
  }

  /** Returns whether the other operation can share this one, because both request the same. */
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

  /** A use that is published again with other contexts or secrets. */
  static final class Refresh extends Operation {
    final MountRequest request;

    Refresh(OperationId id, MountRequest request) {
      super(id, VolumeEvent.Operation.REFRESH, Optional.of(request.usage()));
      this.request = request;
    }
  }

  /** The release of a use, or of a volume without uses. */
  static final class Release extends Operation {
    final Goal goal;

    /** The operation does nothing if the use was requested after the operation with this number. */
    final long unlessAskedAfter;

    /** The operation does nothing if the use has another claim by then. */
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
     * Returns a release in the background.
     *
     * @param unlessAskedAfter the release does nothing if the use was requested after this
     *     operation
     */
    static Release background(
        OperationId id, Goal goal, Optional<VolumeUse> usage, long unlessAskedAfter) {
      return new Release(
          id, VolumeEvent.Operation.CLEAN_UP, usage, goal, unlessAskedAfter, Optional.empty());
    }

    /** Returns a release in the background for a use whose claim is over. */
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

  /** A query of a mounted use, which changes nothing on record. */
  abstract static sealed class Read extends Operation {
    private Read(OperationId id, VolumeEvent.Operation kind, VolumeUse usage) {
      super(id, kind, Optional.of(usage));
    }
  }

  /** An expansion on the node of a volume that has grown. */
  static final class Expand extends Read {
    final ExpandRequest request;

    Expand(OperationId id, ExpandRequest request) {
      super(id, VolumeEvent.Operation.EXPAND, request.usage());
      this.request = request;
    }
  }

  /** A query of the usage of a volume. */
  static final class Stats extends Read {
    Stats(OperationId id, VolumeUse usage) {
      super(id, VolumeEvent.Operation.STATS, usage);
    }
  }

  /** A query of the faults of a volume, in the background. Never reported as an operation. */
  static final class Health extends Operation {
    /** The faults that the plugin can report. */
    final HealthOffer offer;

    Health(OperationId id, HealthOffer offer) {
      super(id, VolumeEvent.Operation.STATS, Optional.empty());
      this.offer = offer;
    }
  }
}
