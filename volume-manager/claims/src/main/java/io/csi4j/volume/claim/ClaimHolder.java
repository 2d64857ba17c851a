package io.csi4j.volume.claim;

import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A workload that has claimed a volume.
 *
 * @param workload who
 * @param node on which machine
 * @param nodeId how the plugin names that machine; kept from when it was claimed, as it may change
 * @param mode what it does with the volume
 * @param state how far it is on its way back
 * @param epoch the number of the claim: higher than that of every earlier claim of the volume
 * @param since when it was claimed, for people: nothing is decided by it
 * @param attachment what the storage system was told about the volume and that machine
 * @param options how the workload has it mounted, in full: decided when it was claimed, and the
 *     same for every call; nothing for a block device, or if that was not said
 * @param facts what the plugin is told of the workload, if it is told of it
 * @since 1.0
 */
public record ClaimHolder(
    WorkloadId workload,
    NodeName node,
    Optional<NodeId> nodeId,
    ClaimMode mode,
    State state,
    long epoch,
    Instant since,
    Attachment attachment,
    Optional<MountOptions> options,
    Optional<WorkloadFacts> facts) {

  /** Checks that all parts are there. */
  public ClaimHolder {
    Objects.requireNonNull(workload, "workload");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(attachment, "attachment");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(facts, "facts");
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
  }

  /** A holder whose mount options were not said. */
  public ClaimHolder(
      WorkloadId workload,
      NodeName node,
      Optional<NodeId> nodeId,
      ClaimMode mode,
      State state,
      long epoch,
      Instant since,
      Attachment attachment) {
    this(workload, node, nodeId, mode, state, epoch, since, attachment, Optional.empty());
  }

  /** A holder of whose workload the plugin is told nothing. */
  public ClaimHolder(
      WorkloadId workload,
      NodeName node,
      Optional<NodeId> nodeId,
      ClaimMode mode,
      State state,
      long epoch,
      Instant since,
      Attachment attachment,
      Optional<MountOptions> options) {
    this(workload, node, nodeId, mode, state, epoch, since, attachment, options, Optional.empty());
  }

  /** Whether a receipt is about this claim: the same workload, machine and epoch. */
  public boolean isMeantBy(NodeReceipt receipt) {
    return receipt.usage().workload().equals(workload)
        && receipt.node().equals(node)
        && receipt.epoch() == epoch;
  }

  /** Returns the holder further on its way back. */
  public ClaimHolder in(State next) {
    return new ClaimHolder(
        workload, node, nodeId, mode, next, epoch, since, attachment, options, facts);
  }

  /** Returns the holder doing something else with the volume. */
  public ClaimHolder doing(ClaimMode next) {
    return new ClaimHolder(
        workload, node, nodeId, next, state, epoch, since, attachment, options, facts);
  }

  /** Returns the holder with another attachment. */
  public ClaimHolder attached(Attachment next) {
    return new ClaimHolder(workload, node, nodeId, mode, state, epoch, since, next, options, facts);
  }

  /** Returns the holder with facts of its workload. */
  public ClaimHolder with(WorkloadFacts told) {
    return new ClaimHolder(
        workload, node, nodeId, mode, state, epoch, since, attachment, options, Optional.of(told));
  }

  /**
   * How far a claim is on its way back. It only moves down this list, and each step is written
   * before the next one is done.
   *
   * @since 1.0
   */
  public enum State {
    /** The workload may use the volume. */
    TAKEN,
    /** The node was told to take the volume away from the workload, and may be at it. */
    UNPUBLISHING,
    /** The node is proven to have nothing of the volume mounted any more. */
    NODE_DETACHED,
    /** The storage system is proven to have detached the volume from the node. */
    CONTROLLER_DETACHED,
    /** Nothing is owed any more; the claim may be forgotten. */
    READY_TO_FREE;

    /** Whether this state is further on the way back. */
    public boolean isAfter(State other) {
      return compareTo(other) > 0;
    }
  }

  /**
   * The state of an attachment: what the storage system was told about a volume and the node of a
   * claim. Kept with the claim, so that what was done is undone later, even if the plugin offers
   * something else by then.
   *
   * @since 1.0
   */
  public sealed interface Attachment {

    /** The storage system need not be told. */
    record NotNeeded() implements Attachment {}

    /**
     * The storage system may have been told to attach the volume to the node, or is about to be.
     *
     * @param repeated whether the claim was acquired more than once: a refusal of one call does not
     *     say then what an earlier one has done
     */
    record InDoubt(boolean repeated) implements Attachment {

      /** The state of a claim that was acquired once. */
      public InDoubt() {
        this(false);
      }
    }

    /**
     * The volume is attached.
     *
     * @param context the context that the node needs to use it
     */
    record Attached(PublishContext context) implements Attachment {

      /** Checks that it is there. */
      public Attached {
        Objects.requireNonNull(context, "context");
      }
    }
  }
}
