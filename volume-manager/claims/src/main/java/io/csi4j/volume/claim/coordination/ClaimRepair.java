package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Attachment;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment.Attached;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ReturnRules;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;

/** Has the storage system do again what it was told before, where it is not so any more. */
final class ClaimRepair {

  /** The use of a volume does not matter when it is detached. */
  private static final Claim.Use ANY =
      new Claim.Use(AccessMode.SINGLE_NODE_WRITER, Attachment.FILESYSTEM);

  private final ClaimBook book;
  private final StorageController controller;
  private final ClaimWayOut out;

  ClaimRepair(ClaimBook book, StorageController controller, ClaimWayOut out) {
    this.book = book;
    this.controller = controller;
    this.out = out;
  }

  ClaimGrant attachAgain(UsageKey usage, long epoch) {
    Claim claim = book.certain(usage);
    Optional<ClaimHolder> own =
        ReturnRules.of(claim, usage.workload(), epoch)
            .filter(holder -> holder.state() == ClaimState.TAKEN)
            .filter(holder -> holder.attachment() instanceof Attached);
    if (own.isEmpty()) {
      throw ClaimWayOut.refused(
          Messages.of(
              OperatorCode.CLAIM_MISSING,
              Subject.of("attaching again").by(usage),
              "its claim of epoch " + epoch + " is gone, on its way back, or was not attached"));
    }
    ClaimHolder holder = own.get();
    Attached now = out.attach(usage, claim, holder);
    return ClaimWayOut.grant(usage, claim, holder, now.context(), !holder.attachment().equals(now));
  }

  boolean detachUnclaimed(VolumeKey volume, NodeId node) {
    Subject subject =
        Subject.of("detaching volume '" + volume + "' from the plugin's node '" + node + "'");
    AttachmentTask task =
        new AttachmentTask(volume, node, book.certain(subject, volume).use().orElse(ANY), false);
    ControllerAnswer answer =
        controller.detach(task, () -> isUnclaimed(book.certain(subject, volume), node));
    if (answer instanceof ControllerAnswer.Failed failed) {
      throw new ClaimException(
          failed.outcome() == Outcome.UNCERTAIN
              ? ClaimException.Outcome.UNCERTAIN
              : ClaimException.Outcome.UNAVAILABLE,
          ClaimWayOut.said(
              failed.code() == StatusCode.NOT_FOUND
                  ? OperatorCode.DETACH_NOT_KNOWN
                  : OperatorCode.DETACH_FAILED,
              subject,
              failed),
          null);
    }
    return answer instanceof ControllerAnswer.Detached;
  }

  /** Until the storage system has said that it is detached, it counts as attached for a claim. */
  private static boolean isUnclaimed(Claim claim, NodeId node) {
    return claim.holders().values().stream()
        .noneMatch(
            holder ->
                holder.nodeId().filter(node::equals).isPresent()
                    && ReturnRules.isAttaching(holder)
                    && !holder.state().isAfter(ClaimState.NODE_DETACHED));
  }
}
