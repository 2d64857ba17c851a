package io.csi4j.volume.agent;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The complete report of a node to a control plane. What a control plane has not accepted is in the
 * next report again.
 *
 * @param node the node
 * @param number the number of the report since the agent was opened; the orders repeat it
 * @param plugins the plugins of the node, the newest first
 * @param ended the claims whose workloads have ended on the node
 * @param receipts the proofs for the claims that the last orders named as leaving
 * @param expansions the sizes that the node has given to filesystems, or could not
 * @since 1.0
 */
public record NodeReport(
    NodeName node,
    long number,
    List<RegisteredPlugin> plugins,
    List<Ended> ended,
    List<NodeReceipt> receipts,
    List<Expansion> expansions) {

  /** Copies the lists. */
  public NodeReport {
    Objects.requireNonNull(node, "node");
    plugins = List.copyOf(plugins);
    ended = List.copyOf(ended);
    receipts = List.copyOf(receipts);
    expansions = List.copyOf(expansions);
  }

  /**
   * A claim that its workload does not need any more.
   *
   * @param usage the volume and the workload
   * @param epoch the epoch of the claim
   */
  public record Ended(VolumeUse usage, long epoch) {

    /** Checks that the use is there. */
    public Ended {
      Objects.requireNonNull(usage, "usage");
    }
  }

  /**
   * A filesystem that was to follow the size of its volume.
   *
   * @param volume the volume
   * @param to the size, as the orders had it
   * @param refusal why the node cannot do it; nothing if it is done
   */
  public record Expansion(VolumeKey volume, CapacityRange to, Optional<OperatorMessage> refusal) {

    /** Checks that all parts are there. */
    public Expansion {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(to, "to");
      Objects.requireNonNull(refusal, "refusal");
    }
  }
}
