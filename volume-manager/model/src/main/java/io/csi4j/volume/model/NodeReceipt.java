package io.csi4j.volume.model;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A node's proof that a use is no longer mounted: the node has no record of the use, and has
 * checked its mount table. The proof is valid for one claim only, not for later claims of the same
 * use.
 *
 * @param usage the released use
 * @param epoch the epoch of the claim
 * @param node the machine that made the check
 * @param boot the boot id of that machine at the time of the check
 * @param looked the paths that the node checked
 * @param staging whether the volume is still staged on the node
 * @since 1.0
 */
public record NodeReceipt(
    VolumeUse usage, long epoch, NodeName node, String boot, List<Path> looked, Staging staging) {

  /** Whether a volume is still staged on the node. */
  public enum Staging {
    /** The volume is no longer staged. */
    GONE,
    /** Other workloads on the same machine use the volume, so it must not be detached. */
    KEPT_FOR_OTHERS
  }

  /** Copies the list of paths, and checks all parts. */
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
      throw new IllegalArgumentException(
          "A receipt needs at least one path that the node " + "examined.");
    }
  }
}
