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
 * @param nodeId the plugin's id of that node; kept from the time of the claim, because it may
 *     change
 * @param mode whether the workload reads or writes
 * @param state the progress of the release
 * @param epoch the number of the claim: higher than that of every earlier claim of the volume
 * @param since the time of the claim, for display: no decision depends on it
 * @param attachment the state of the attachment of the volume to that node
 * @param options the complete mount options of the workload, decided at the time of the claim and
 *     used for every call; empty for a block device, or if they are not known
 * @param facts the facts about the workload that are passed to the plugin, if any; a repeated
 *     request with other facts is refused, because two callers would change them back and forth
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

  /** A holder with unknown mount options. */
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

  /** A holder without facts for the plugin. */
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

  /** Returns whether a receipt is for this claim: the same workload, node and epoch. */
  public boolean isMeantBy(NodeReceipt receipt) {
    return receipt.usage().workload().equals(workload)
        && receipt.node().equals(node)
        && receipt.epoch() == epoch;
  }

  /** Returns the holder with a later state of its release. */
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
   * The progress of the release of a claim. It only moves down this list, and each step is written
   * before the next one is done.
   *
   * @since 1.0
   */
  public enum State {
    /** The workload may use the volume. */
    TAKEN,
    /** The node was asked to unmount the volume from the workload, and may be doing it. */
    UNPUBLISHING,
    /** The node has proved that it no longer has the volume mounted. */
    NODE_DETACHED,
    /** The storage system has proved that it detached the volume from the node. */
    CONTROLLER_DETACHED,
    /** No work is pending; the claim may be removed. */
    READY_TO_FREE;

    /** Returns whether this state is later in the release. */
    public boolean isAfter(State other) {
      return compareTo(other) > 0;
    }
  }

  /**
   * The state of the attachment of a volume to the node of a claim. Kept with the claim, so that
   * the attachment is undone later even if the plugin has other capabilities by then.
   *
   * @since 1.0
   */
  public sealed interface Attachment {

    /** No attachment is needed. */
    record NotNeeded() implements Attachment {}

    /**
     * The storage system may have been asked to attach the volume to the node, or is about to be.
     *
     * @param repeated whether the claim was acquired more than once: the refusal of one call then
     *     does not show what an earlier call has done
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
     * @param context the context that the node needs to use the volume
     */
    record Attached(PublishContext context) implements Attachment {

      /** Checks that the context is present. */
      public Attached {
        Objects.requireNonNull(context, "context");
      }
    }
  }
}
