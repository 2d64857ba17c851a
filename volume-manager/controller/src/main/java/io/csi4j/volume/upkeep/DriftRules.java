package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** In what a volume of a storage system differs from its claim. Pure. */
final class DriftRules {

  private DriftRules() {}

  /**
   * The differences.
   *
   * @param namesNodes whether the storage system tells where volumes are attached
   */
  static List<Drift> differences(
      Claim claim, VolumeId handle, VolumeEntry entry, boolean namesNodes) {
    List<Drift> found = new ArrayList<>();
    if (namesNodes) {
      attachments(claim, handle, Set.copyOf(entry.publishedNodes()), found);
    }
    entry
        .condition()
        .filter(condition -> condition.abnormal())
        .ifPresent(
            condition -> found.add(new Drift.AbnormalVolume(claim.volume(), handle, condition)));
    return found;
  }

  private static void attachments(
      Claim claim, VolumeId handle, Set<NodeId> attached, List<Drift> found) {
    Set<NodeId> claimed = new HashSet<>();
    for (ClaimHolder holder : claim.holders().values()) {
      if (holder.nodeId().isEmpty() || !mayBeAttached(holder)) {
        continue;
      }
      claimed.add(holder.nodeId().get());
      if (hasToBe(holder) && !attached.contains(holder.nodeId().get())) {
        found.add(new Drift.LostAttachment(claim.volume(), handle, holder));
      }
    }
    Set<NodeId> unknown = new TreeSet<>((one, other) -> one.value().compareTo(other.value()));
    unknown.addAll(attached);
    unknown.removeAll(claimed);
    unknown.forEach(node -> found.add(new Drift.UnknownAttachment(claim.volume(), handle, node)));
  }

  /** Whether it may be attached for a claim: until the storage system has said that it is not. */
  private static boolean mayBeAttached(ClaimHolder holder) {
    return !(holder.attachment() instanceof NodeAttachment.NotNeeded)
        && !holder.state().isAfter(ClaimState.NODE_DETACHED);
  }

  /** Whether it has to be: from NODE_DETACHED on it is just being detached. */
  private static boolean hasToBe(ClaimHolder holder) {
    return holder.attachment() instanceof NodeAttachment.Attached
        && !holder.state().isAfter(ClaimState.UNPUBLISHING);
  }
}
