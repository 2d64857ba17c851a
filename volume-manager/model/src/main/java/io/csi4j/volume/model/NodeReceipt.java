package io.csi4j.volume.model;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The proof of a node that it has nothing of a use mounted any more: it has no record of the use,
 * and looked into its mount table. It stands for one claim only, and says nothing of a later one.
 *
 * @param usage the use that was given back
 * @param epoch the epoch of the claim that it was used under
 * @param node the machine that looked
 * @param boot the boot of that machine in which it looked
 * @param looked where it looked
 * @param staging what became of the volume's staging
 * @since 1.0
 */
public record NodeReceipt(
    VolumeUse usage, long epoch, NodeName node, String boot, List<Path> looked, Staging staging) {

  /** The fate of a volume's staging. */
  public enum Staging {
    /** The staging is not there. */
    GONE,
    /** Other workloads of the same machine use the volume: it must not be detached from there. */
    KEPT_FOR_OTHERS
  }

  /** Copies the list, and checks that all parts are there. */
  public NodeReceipt {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(boot, "boot");
    Objects.requireNonNull(staging, "staging");
    looked = List.copyOf(looked);
    if (epoch < 1) {
      throw new IllegalArgumentException("The epoch of a claim is at least 1, not " + epoch + ".");
    }
    if (looked.isEmpty()) {
      throw new IllegalArgumentException("A node that looked nowhere has proven nothing.");
    }
  }
}
