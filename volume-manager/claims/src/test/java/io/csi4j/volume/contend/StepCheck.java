package io.csi4j.volume.contend;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.WorkloadId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether one claim may follow on another. Written from the meaning of claims, beside the rules by
 * which they are made.
 */
final class StepCheck {

  private StepCheck() {}

  /** What is wrong; empty if nothing is. */
  static String of(Claim before, Claim now) {
    String room = room(now);
    if (!room.isEmpty()) {
      return room;
    }
    if (now.epoch() < before.epoch()) {
      return "took the epoch back from " + before.epoch() + " to " + now.epoch();
    }
    List<WorkloadId> changed = changed(before, now);
    if (changed.size() != 1) {
      return "changed the claims of " + changed + " at once";
    }
    WorkloadId workload = changed.get(0);
    ClaimHolder was = before.holders().get(workload);
    ClaimHolder is = now.holders().get(workload);
    if (was == null) {
      boolean isNew =
          is.epoch() > before.epoch()
              && is.epoch() == now.epoch()
              && is.state() == ClaimHolder.State.TAKEN;
      return isNew ? "" : "took a claim for " + workload + " that is not new";
    }
    if (is == null && workload.equals(Claim.DELETION)) {
      return "";
    }
    if (is == null) {
      return was.state() == ClaimHolder.State.READY_TO_FREE
          ? ""
          : "dropped the claim of " + workload + ", which was " + was.state();
    }
    if (workload.equals(Claim.DELETION)) {
      boolean isTakenOver = is.epoch() == now.epoch() && now.epoch() > before.epoch();
      return isTakenOver && is.state() == ClaimHolder.State.TAKEN
          ? ""
          : "changed the hold of a deletion without taking it over";
    }
    return kept(was, is);
  }

  private static String kept(ClaimHolder was, ClaimHolder is) {
    if (was.epoch() != is.epoch() || !was.node().equals(is.node())) {
      return "put another claim of " + was.workload() + " in the place of one";
    }
    if (is.state().compareTo(was.state()) < 0) {
      return "took " + was.workload() + " back from " + was.state() + " to " + is.state();
    }
    boolean isChanged = was.mode() != is.mode();
    return isChanged && was.state() != ClaimHolder.State.TAKEN
        ? "changed the mode of " + was.workload() + ", which was " + was.state()
        : "";
  }

  private static List<WorkloadId> changed(Claim before, Claim now) {
    Set<WorkloadId> all = new TreeSet<>(before.holders().keySet());
    all.addAll(now.holders().keySet());
    List<WorkloadId> changed = new ArrayList<>();
    for (WorkloadId each : all) {
      if (!before.holder(each).equals(now.holder(each))) {
        changed.add(each);
      }
    }
    return changed;
  }

  /** Whether there is room for all who hold it. */
  private static String room(Claim claim) {
    if (claim.use().isEmpty()) {
      return "";
    }
    if (claim.holder(Claim.DELETION).isPresent() && claim.holders().size() > 1) {
      return "let others hold a volume that is being deleted: " + claim.holders().keySet();
    }
    AccessMode mode = claim.use().get().mode();
    long writers =
        claim.holders().values().stream().filter(each -> each.mode() == ClaimMode.WRITE).count();
    if (writers > 1) {
      return "let " + writers + " write to one volume: " + claim.holders().keySet();
    }
    return mode == AccessMode.SINGLE_NODE_WRITER && claim.holders().size() > 1
        ? "let several hold a volume for one: " + claim.holders().keySet()
        : "";
  }
}
