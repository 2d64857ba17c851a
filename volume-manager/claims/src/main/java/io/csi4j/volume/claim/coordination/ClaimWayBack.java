package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimEvent.Freed;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.ClaimStep;
import io.csi4j.volume.claim.ClaimStep.Choice;
import io.csi4j.volume.claim.ClaimStep.Detach;
import io.csi4j.volume.claim.ClaimStep.Intent;
import io.csi4j.volume.claim.ReleaseProof;
import io.csi4j.volume.claim.coordination.ClaimBook.Change;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.claims.ClaimSteps;
import io.csi4j.volume.internal.claims.ReturnRules;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Brings a claim back, step by step, as far as what is proven lets it. Starts from what is written
 * and from nothing else, so that it goes on where another process has stopped.
 */
final class ClaimWayBack {

  /** Far more steps than there are: only others who get in between make more. */
  private static final int STEPS = 64;

  private final ClaimBook book;
  private final StorageController controller;
  private final Clock clock;
  private final ClaimTelling telling;

  /**
   * The tasks that are asked for now, until the answer is written: they are not asked for twice.
   */
  private final Set<AttachmentTask> begun = ConcurrentHashMap.newKeySet();

  ClaimWayBack(ClaimBook book, StorageController controller, Clock clock, ClaimTelling telling) {
    this.book = book;
    this.controller = controller;
    this.clock = clock;
    this.telling = telling;
  }

  /**
   * Brings it on.
   *
   * @param epoch the epoch of the claim; a later one is left alone
   * @param inHand what is proven now, if something is
   */
  ClaimProgress go(UsageKey usage, long epoch, Intent intent, Optional<ReleaseProof> inHand) {
    Subject subject = Subject.of("giving back the claim of").by(usage);
    Claim claim = book.read(usage.volume());
    for (int done = 0; done < STEPS; done++) {
      Optional<ClaimHolder> own = ReturnRules.of(claim, usage.workload(), epoch);
      if (own.isEmpty()) {
        return new ClaimProgress.Gone(usage);
      }
      ClaimHolder holder = own.get();
      ClaimStep step = ClaimSteps.next(claim, usage.workload(), intent);
      if (step instanceof Detach) {
        Optional<ClaimProgress> stuck = detach(subject, usage, claim, holder, inHand);
        if (stuck.isPresent()) {
          return stuck.get();
        }
        claim = book.read(usage.volume());
      } else if (step instanceof ClaimStep.Write) {
        claim = write(subject, usage, it -> ReturnRules.settled(it, usage.workload(), epoch));
      } else if (step instanceof ClaimStep.Forget) {
        book.forget(usage);
        telling.tell(new Freed(usage, epoch));
        return new ClaimProgress.Gone(usage);
      } else {
        return waiting(subject, usage, holder, step);
      }
    }
    return new ClaimProgress.WaitsForStorage(
        usage,
        claim.holder(usage.workload()).orElseThrow(),
        Messages.of(OperatorCode.DETACH_FAILED, subject, "others change its claims all the time"));
  }

  private ClaimProgress waiting(
      Subject subject, UsageKey usage, ClaimHolder holder, ClaimStep step) {
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
        "nothing is proven of " + ClaimRules.words(holder, clock.instant()),
        new OperatorMessage.Part(Character.toUpperCase(choices.charAt(0)) + choices.substring(1)));
  }

  private Optional<ClaimProgress> detach(
      Subject subject,
      UsageKey usage,
      Claim claim,
      ClaimHolder holder,
      Optional<ReleaseProof> inHand) {
    Claim.Use use = claim.use().orElseThrow();
    AttachmentTask task =
        new AttachmentTask(
            usage.volume(),
            holder.nodeId().orElseThrow(),
            use,
            ReturnRules.readonly(use, holder.mode()));
    if (!begun.add(task)) {
      return Optional.of(
          new ClaimProgress.WaitsForStorage(
              usage,
              holder,
              Messages.of(
                  OperatorCode.DETACH_RESUMED,
                  subject,
                  "another thread of this process is at it")));
    }
    try {
      return detach(subject, usage, holder, task, inHand);
    } finally {
      begun.remove(task);
    }
  }

  private Optional<ClaimProgress> detach(
      Subject subject,
      UsageKey usage,
      ClaimHolder holder,
      AttachmentTask task,
      Optional<ReleaseProof> inHand) {
    AtomicReference<List<ClaimHolder>> together = new AtomicReference<>(List.of());
    ControllerAnswer answer =
        telling.during(
            usage,
            Work.DETACH,
            () -> controller.detach(task, () -> isOwed(usage, holder, together)),
            it -> problem(subject, it));
    if (answer instanceof ControllerAnswer.NotSent) {
      return Optional.empty();
    }
    if (answer instanceof ControllerAnswer.Failed failed && !isAnsweredFor(failed, inHand)) {
      return Optional.of(
          new ClaimProgress.WaitsForStorage(usage, holder, message(subject, failed)));
    }
    Claim after = write(subject, usage, it -> ReturnRules.detached(it, together.get()));
    assert after.volume().equals(usage.volume());
    return Optional.empty();
  }

  /**
   * Asked right before the call: who goes together is what is written then. A store that has lost
   * claims may have lost who uses the attachment.
   */
  private boolean isOwed(
      UsageKey usage, ClaimHolder holder, AtomicReference<List<ClaimHolder>> together) {
    Claim now = book.certain(usage);
    if (ReturnRules.of(now, usage.workload(), holder.epoch()).isPresent()
        && ClaimSteps.next(now, usage.workload(), Intent.GIVE_BACK) instanceof Detach detach) {
      together.set(detach.together());
      return true;
    }
    return false;
  }

  /**
   * A person who attests that a node is gone explains a storage system that does not know it any
   * more.
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

  private Claim write(Subject subject, UsageKey usage, Function<Claim, ClaimDecision> rule) {
    Change change = book.apply(subject, usage.volume(), false, rule);
    telling.moved(usage.volume(), change);
    return change.after();
  }

  private static Optional<OperatorMessage> problem(Subject subject, ControllerAnswer answer) {
    return answer instanceof ControllerAnswer.Failed failed
        ? Optional.of(message(subject, failed))
        : Optional.empty();
  }

  private static OperatorMessage message(Subject subject, ControllerAnswer.Failed failed) {
    return ClaimWayOut.said(
        failed.code() == StatusCode.NOT_FOUND
            ? OperatorCode.DETACH_NOT_KNOWN
            : OperatorCode.DETACH_FAILED,
        subject,
        failed);
  }
}
