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
 * @param workload the workload
 * @param node the node of the workload
 * @param nodeId the plugin's id of that node at the time of the claim; it is kept because a plugin
 *     may change the id later
 * @param mode whether the workload reads or writes
 * @param state the progress of the claim's release
 * @param epoch the number of the claim, which is higher than the number of every earlier claim of
 *     the volume
 * @param since the time of the claim, for display only
 * @param attachment whether the volume is attached to that node
 * @param options the complete mount options of the workload. They are determined at the time of the
 *     claim and used for every call; empty for a block device, or if they are not known
 * @param facts the facts about the workload that are passed to the plugin, if any. A repeated
 *     request with other facts is refused; otherwise, two callers could keep replacing each other's
 *     facts
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

  /** Checks that all parts are present. */
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

  /** Creates a holder with unknown mount options and without facts for the plugin. */
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

  /** Creates a holder without facts for the plugin. */
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

  /** Whether a receipt belongs to this claim: its workload, node and epoch are the same. */
  public boolean isMeantBy(NodeReceipt receipt) {
    return receipt.usage().workload().equals(workload)
        && receipt.node().equals(node)
        && receipt.epoch() == epoch;
  }

  /** Returns the holder with this state of its release. */
  public ClaimHolder in(State next) {
    return new ClaimHolder(
        workload, node, nodeId, mode, next, epoch, since, attachment, options, facts);
  }

  /** Returns the holder with another mode. */
  public ClaimHolder doing(ClaimMode next) {
    return new ClaimHolder(
        workload, node, nodeId, next, state, epoch, since, attachment, options, facts);
  }

  /** Returns the holder with another attachment. */
  public ClaimHolder attached(Attachment next) {
    return new ClaimHolder(workload, node, nodeId, mode, state, epoch, since, next, options, facts);
  }

  /** Returns the holder with facts about its workload. */
  public ClaimHolder with(WorkloadFacts told) {
    return new ClaimHolder(
        workload, node, nodeId, mode, state, epoch, since, attachment, options, Optional.of(told));
  }

  /**
   * The progress of the release of a claim. The state only changes to a later state of this list.
   * Each state is stored before the work for the next state begins.
   *
   * @since 1.0
   */
  public enum State {
    /** The workload may use the volume. */
    TAKEN,
    /**
     * The release has begun. The node must unmount the volume for this workload, and may already be
     * doing it.
     */
    UNPUBLISHING,
    /** The node has proved that it no longer has the volume mounted. */
    NODE_DETACHED,
    /** The storage system has proved that it detached the volume from the node. */
    CONTROLLER_DETACHED,
    /** No work is pending; the claim may be removed. */
    READY_TO_FREE;

    /** Whether this state comes later in the release than the other state. */
    public boolean isAfter(State other) {
      return compareTo(other) > 0;
    }
  }

  /**
   * Whether a volume is attached to the node of a claim. It is stored with the claim, so that the
   * volume can be detached later even if the capabilities of the plugin have changed.
   *
   * @since 1.0
   */
  public sealed interface Attachment {

    /** The volume need not be attached. */
    record NotNeeded() implements Attachment {}

    /**
     * It is uncertain whether the volume is attached: the storage system is about to be called, or
     * was called without a known result.
     *
     * @param repeated whether the claim was acquired more than once. If so, an earlier call may
     *     have attached the volume although the latest call was refused
     */
    record InDoubt(boolean repeated) implements Attachment {

      /** Creates the value for a claim that was acquired only once. */
      public InDoubt() {
        this(false);
      }
    }

    /**
     * The volume is attached.
     *
     * @param context the publish context that the node needs to use the volume
     */
    record Attached(PublishContext context) implements Attachment {

      /** Checks that the context is present. */
      public Attached {
        Objects.requireNonNull(context, "context");
      }
    }
  }
}
