package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.ClaimStep;
import io.csi4j.volume.claim.ClaimStep.Attach;
import io.csi4j.volume.claim.ClaimStep.Choice;
import io.csi4j.volume.claim.ClaimStep.Detach;
import io.csi4j.volume.claim.ClaimStep.Done;
import io.csi4j.volume.claim.ClaimStep.Forget;
import io.csi4j.volume.claim.ClaimStep.Intent;
import io.csi4j.volume.claim.ClaimStep.NeedsProof;
import io.csi4j.volume.claim.ClaimStep.WaitForNode;
import io.csi4j.volume.claim.ClaimStep.Write;
import io.csi4j.volume.claim.NodeAttachment.InDoubt;
import io.csi4j.volume.model.WorkloadId;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The way of a claim, step by step. Pure: what is claimed and what is wanted give the next step.
 */
public final class ClaimSteps {

  private ClaimSteps() {}

  /**
   * Returns the next step for the claim of a workload. A claim on its way back goes on, even if it
   * is wanted again.
   */
  public static ClaimStep next(Claim claim, WorkloadId workload, Intent intent) {
    Optional<ClaimHolder> own = claim.holder(workload);
    if (own.isEmpty()) {
      return new Done();
    }
    ClaimHolder holder = own.get();
    return switch (holder.state()) {
      case TAKEN -> taken(holder, intent);
      case UNPUBLISHING ->
          intent == Intent.GIVE_BACK_WITHOUT_NODE
              ? new NeedsProof(choices(holder))
              : new WaitForNode();
      case NODE_DETACHED ->
          ReturnRules.owesDetach(claim, holder)
              ? new Detach(ReturnRules.goingTogether(claim, holder))
              : new Write(ClaimState.READY_TO_FREE);
      case CONTROLLER_DETACHED -> new Write(ClaimState.READY_TO_FREE);
      case READY_TO_FREE -> new Forget();
    };
  }

  private static ClaimStep taken(ClaimHolder holder, Intent intent) {
    if (intent != Intent.HOLD) {
      return new Write(ClaimState.UNPUBLISHING);
    }
    return holder.attachment() instanceof InDoubt ? new Attach() : new Done();
  }

  private static Set<Choice> choices(ClaimHolder holder) {
    return ReturnRules.isAttaching(holder)
        ? EnumSet.allOf(Choice.class)
        : EnumSet.complementOf(EnumSet.of(Choice.TAKE_AWAY));
  }
}
