package io.csi4j.volume.model;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A node's proof that it has no mount of a use any more: it has no record of the use, and has
 * checked its mount table. It is valid for one claim only, and says nothing about later ones.
 *
 * @param usage the released use
 * @param epoch the epoch of the claim
 * @param node the machine that made the check
 * @param boot the boot of that machine during the check
 * @param looked the paths that were checked
 * @param staging the state of the volume's staging
 * @since 1.0
 */
public record NodeReceipt(
    VolumeUse usage, long epoch, NodeName node, String boot, List<Path> looked, Staging staging) {

  /** The state of a volume's staging. */
  public enum Staging {
    /** The staging no longer exists. */
    GONE,
    /** Other workloads on the same machine use the volume: it must not be detached. */
    KEPT_FOR_OTHERS
  }

  /** Copies the list, and checks that all parts are set. */
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
