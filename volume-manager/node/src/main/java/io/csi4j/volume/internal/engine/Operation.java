package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Goal;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.ExpandRequest;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.VolumeEvent;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Something that was asked for and waits for its turn, or has it.
 *
 * @param id its number
 * @param wish what was asked for
 * @param kind what it is, in events
 * @param usage the use it is about; empty when it is about a volume without uses
 * @param end ends when it does
 */
record Operation(
    OperationId id,
    Wish wish,
    VolumeEvent.Operation kind,
    Optional<VolumeUse> usage,
    CompletableFuture<Object> end) {

  /** A request. */
  sealed interface Wish {

    /**
     * A mount.
     *
     * @param request what is wanted
     */
    record Mount(MountRequest request) implements Wish {}

    /**
     * The end of a use, or of a volume without uses.
     *
     * @param goal the goal
     * @param unlessAskedAfter nothing is done if the use was asked for after this operation
     */
    record Release(Goal goal, long unlessAskedAfter) implements Wish {}

    /**
     * That the node takes notice of new capacity.
     *
     * @param request of what
     */
    record Expand(ExpandRequest request) implements Wish {}

    /**
     * A use that is published with other contexts or secrets from now on.
     *
     * @param request how it is wanted
     */
    record Refresh(MountRequest request) implements Wish {}

    /** How full it is. */
    record Stats() implements Wish {}

    /**
     * The known faults of the volume; asked in the background, and never told as an operation.
     *
     * @param offer the faults that the plugin can tell
     */
    record Health(HealthOffer offer) implements Wish {}

    /** The repair of dead mounts. */
    record Repair() implements Wish {}
  }

  /** Whether two who wait can share one operation. */
  boolean isSame(Wish other) {
    return (wish instanceof Wish.Mount || wish instanceof Wish.Release) && wish.equals(other);
  }
}
