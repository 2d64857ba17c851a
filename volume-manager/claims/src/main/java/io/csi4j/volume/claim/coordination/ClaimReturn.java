package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimEvent.Freed;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimProgress.Choice;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook.Change;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.claims.ClaimStep;
import io.csi4j.volume.internal.claims.ClaimStep.Detach;
import io.csi4j.volume.internal.claims.ClaimStep.Intent;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Completes the release of claims: detaches volumes and removes claims.
 *
 * @param begun the detach calls in progress. A call stays in the set until its answer is recorded,
 *     so the same call is not made twice at the same time
 */
record ClaimReturn(ClaimBook book, Clock clock, ClaimReports reports, Set<AttachmentTask> begun) {

  /**
   * The maximum number of steps. A release has far fewer steps, unless other processes keep
   * changing the claim.
   */
  private static final int STEPS = 64;

  /**
   * Continues the release of a claim step by step, as far as the proofs allow. The steps depend
   * only on the stored state, so this method can continue the work of a process that has stopped.
   *
   * @param epoch the epoch of the claim; a later claim is not changed
   * @param inHand the proof that the caller has just recorded, if any
   * @param storage the storage controller that detaches the volume
   */
  ClaimProgress go(
      VolumeUse usage,
      long epoch,
      Intent intent,
      Optional<ReleaseProof> inHand,
      StorageController storage) {
    Subject subject = Subject.of("releasing the claim of").by(usage);
    Claim claim = book.read(usage.volume());
    for (int done = 0; done < STEPS; done++) {
      Optional<ClaimHolder> own = ClaimRules.own(claim, usage.workload(), epoch);
      if (own.isEmpty()) {
        return new ClaimProgress.Gone(usage);
      }
      ClaimHolder holder = own.get();
      ClaimStep step = ClaimRules.next(claim, usage.workload(), intent);
      if (step instanceof Detach) {
        Optional<ClaimProgress> stuck = detach(subject, usage, claim, holder, inHand, storage);
        if (stuck.isPresent()) {
          return stuck.get();
        }
        claim = book.read(usage.volume());
      } else if (step instanceof ClaimStep.Write) {
        claim = write(subject, usage, it -> ClaimRules.settled(it, usage.workload(), epoch));
      } else if (step instanceof ClaimStep.Forget) {
        book.forget(usage);
        reports.tell(new Freed(usage, epoch));
        return new ClaimProgress.Gone(usage);
      } else {
        return waiting(subject, usage, holder, step);
      }
    }
    return new ClaimProgress.WaitsForStorage(
        usage,
        claim.holder(usage.workload()).orElseThrow(),
        Messages.of(
            OperatorCode.DETACH_FAILED, subject, "other processes keep changing its claims"));
  }

  private ClaimProgress waiting(
      Subject subject, VolumeUse usage, ClaimHolder holder, ClaimStep step) {
    if (step instanceof ClaimStep.NeedsProof needs) {
      return new ClaimProgress.NeedsProof(
          usage, holder, needs.choices(), needsProof(subject, holder, needs));
    }
    if (step instanceof ClaimStep.WaitForNode) {
      return new ClaimProgress.WaitsForNode(usage, holder);
    }
    return step instanceof ClaimStep.Attach
        ? new ClaimProgress.WaitsForHost(usage, holder)
        : new ClaimProgress.Held(usage, holder);
  }

  private OperatorMessage needsProof(
      Subject subject, ClaimHolder holder, ClaimStep.NeedsProof needs) {
    String choices =
        needs.choices().stream().sorted().map(Choice::words).collect(Collectors.joining("; or "));
    return Messages.of(
        OperatorCode.CLAIM_NEEDS_FENCING,
        subject,
        "no proof was given for " + ClaimRules.words(holder, clock.instant()),
        new OperatorMessage.Part(Character.toUpperCase(choices.charAt(0)) + choices.substring(1)));
  }

  private Optional<ClaimProgress> detach(
      Subject subject,
      VolumeUse usage,
      Claim claim,
      ClaimHolder holder,
      Optional<ReleaseProof> inHand,
      StorageController storage) {
    Claim.Use use = claim.use().orElseThrow();
    AttachmentTask task =
        new AttachmentTask(
            usage.volume(),
            holder.nodeId().orElseThrow(),
            use,
            ClaimRules.readonly(use, holder.mode()));
    if (!begun.add(task)) {
      return Optional.of(
          new ClaimProgress.WaitsForStorage(
              usage,
              holder,
              Messages.of(
                  OperatorCode.DETACH_RESUMED,
                  subject,
                  "another thread of this process is already detaching it")));
    }
    try {
      AtomicReference<List<ClaimHolder>> together = new AtomicReference<>(List.of());
      ControllerAnswer answer =
          reports.during(
              usage,
              Work.DETACH,
              () -> storage.detach(task, () -> isOwed(usage, holder, together)),
              it -> ClaimReports.failed(it).map(why -> detachMessage(subject, why)));
      if (answer instanceof ControllerAnswer.NotSent) {
        return Optional.empty();
      }
      if (answer instanceof ControllerAnswer.Failed failed && !isAnsweredFor(failed, inHand)) {
        return Optional.of(
            new ClaimProgress.WaitsForStorage(usage, holder, detachMessage(subject, failed)));
      }
      // A controller that has no record of the volume fails before it calls the guard.
      if (together.get().isEmpty() && !isOwed(usage, holder, together)) {
        return Optional.empty();
      }
      // An operator who overrides a claim takes no responsibility for later claims.
      List<ClaimHolder> done =
          together.get().stream()
              .filter(
                  it -> answer instanceof ControllerAnswer.Detached || it.epoch() <= holder.epoch())
              .toList();
      write(subject, usage, it -> ClaimRules.detached(it, done));
      return Optional.empty();
    } finally {
      begun.remove(task);
    }
  }

  /**
   * Whether the volume must be detached for this holder. Called right before the call to the
   * storage system, because the current claims determine which holders are detached together. Fails
   * if the store may have lost claims, because a lost claim could still need the attachment.
   */
  private boolean isOwed(
      VolumeUse usage, ClaimHolder holder, AtomicReference<List<ClaimHolder>> together) {
    Claim now = book.certain(usage);
    if (ClaimRules.own(now, usage.workload(), holder.epoch()).isPresent()
        && ClaimRules.next(now, usage.workload(), Intent.GIVE_BACK) instanceof Detach detach) {
      together.set(detach.together());
      return true;
    }
    return false;
  }

  /**
   * Whether the proof replaces the confirmation of the storage system. An operator can replace it
   * explicitly. If the node is gone, it explains why the storage system no longer knows the node.
   */
  private static boolean isAnsweredFor(
      ControllerAnswer.Failed failed, Optional<ReleaseProof> inHand) {
    boolean isUnknown = failed.code() == StatusCode.NOT_FOUND;
    return inHand
        .filter(
            proof ->
                proof instanceof ReleaseProof.OperatorOverride override
                    ? override.covers() == ReleaseProof.Covers.NODE_AND_STORAGE
                    : isUnknown && proof instanceof ReleaseProof.PowerOff)
        .isPresent();
  }

  Claim write(Subject subject, VolumeUse usage, Function<Claim, ClaimDecision> rule) {
    Change change = book.apply(subject, usage.volume(), false, rule);
    reports.moved(usage.volume(), change);
    return change.after();
  }

  static OperatorMessage detachMessage(Subject subject, ControllerAnswer.Failed failed) {
    return ClaimReports.answered(
        failed.code() == StatusCode.NOT_FOUND
            ? OperatorCode.DETACH_NOT_KNOWN
            : OperatorCode.DETACH_FAILED,
        subject,
        failed);
  }
}
