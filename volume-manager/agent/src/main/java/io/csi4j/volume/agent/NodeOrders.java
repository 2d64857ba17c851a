package io.csi4j.volume.agent;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * All that a node is to have mounted, and all that it is to give back. Both lists are hints: the
 * node has the claim confirmed before it mounts with it and before it unmounts for it. That a use
 * is on neither list proves nothing, and the node keeps what it has of it.
 *
 * @param node the node
 * @param answers the number of the report that this answers
 * @param wanted the uses that the node has claims for
 * @param leaving the uses whose claims are on their way back, and wait for the receipt of the node
 * @since 1.0
 */
public record NodeOrders(NodeName node, long answers, List<Wanted> wanted, List<Leaving> leaving) {

  /** Copies the lists. */
  public NodeOrders {
    Objects.requireNonNull(node, "node");
    wanted = List.copyOf(wanted);
    leaving = List.copyOf(leaving);
  }

  /** Returns what is wanted of a use. */
  Optional<Wanted> wanted(VolumeUse usage) {
    return wanted.stream().filter(each -> each.request().usage().equals(usage)).findFirst();
  }

  /** Returns what has to be given back of a use. */
  Optional<Leaving> leaving(VolumeUse usage) {
    return leaving.stream().filter(each -> each.usage().equals(usage)).findFirst();
  }

  /**
   * A use that the node has a claim for.
   *
   * @param request the mount, under its claim, without secrets
   * @param secrets the name under which the host of the node has the secrets of the volume
   * @param grown the size that the filesystem has to follow, if the volume has grown since
   */
  public record Wanted(
      MountRequest request, Optional<String> secrets, Optional<CapacityRange> grown) {

    /** Checks that all parts are there. */
    public Wanted {
      Objects.requireNonNull(request, "request");
      Objects.requireNonNull(secrets, "secrets");
      Objects.requireNonNull(grown, "grown");
    }

    /** Returns the epoch of the claim. */
    long epoch() {
      return request.claim().orElseThrow().epoch();
    }
  }

  /**
   * A use that the node has to give back.
   *
   * @param usage the volume and the workload
   * @param epoch the epoch of the claim, which the receipt has to name
   * @param volume the volume as its plugin names it; nothing if the catalog does not have it
   */
  public record Leaving(VolumeUse usage, long epoch, Optional<VolumeIdentity> volume) {

    /** Checks that all parts are there. */
    public Leaving {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(volume, "volume");
    }
  }
}
