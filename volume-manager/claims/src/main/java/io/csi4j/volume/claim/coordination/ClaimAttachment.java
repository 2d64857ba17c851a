package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimHolder.Attachment.Attached;
import io.csi4j.volume.claim.coordination.ClaimBook.Change;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * Attaches volumes for claims, and records the results.
 *
 * @param pauses for each use, the last pause before the next call to a storage system without
 *     capacity
 */
record ClaimAttachment(
    ClaimBook book,
    StorageController controller,
    Clock clock,
    ClaimReports reports,
    ConcurrentMap<VolumeUse, Duration> pauses) {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  /** Attaches a volume for a holder whose claim requires an attachment. */
  Attached attach(VolumeUse usage, Claim claim, ClaimHolder holder) {
    Subject subject = Subject.of("attaching").by(usage);
    Claim.Use use = claim.use().orElseThrow();
    Optional<Instant> until = claim.exhaustedUntil().filter(it -> it.isAfter(clock.instant()));
    if (until.isPresent()) {
      throw refused(
          Messages.of(
              OperatorCode.CLAIM_EXHAUSTED,
              subject,
              "the storage system had no capacity; the next attempt is in "
                  + Duration.between(clock.instant(), until.get()).toSeconds()
                  + " s"));
    }
    AttachmentTask task =
        new AttachmentTask(
            usage.volume(),
            holder.nodeId().orElseThrow(),
            use,
            ClaimRules.readonly(use, holder.mode()),
            holder.options());
    ControllerAnswer answer =
        reports.during(
            usage,
            Work.ATTACH,
            () -> controller.attach(task, () -> book.isCurrent(usage, holder.epoch())),
            it -> ClaimReports.failed(it).map(why -> attachMessage(subject, claim, holder, why)));
    if (answer instanceof ControllerAnswer.Attached attached) {
      pauses.remove(usage);
      return write(subject, usage, holder, use, attached);
    }
    if (answer instanceof ControllerAnswer.Failed failed) {
      throw failure(subject, usage, claim, holder, failed);
    }
    throw goneMeanwhile(subject, usage, holder);
  }

  private Attached write(
      Subject subject,
      VolumeUse usage,
      ClaimHolder holder,
      Claim.Use use,
      ControllerAnswer.Attached attached) {
    try {
      Change change =
          book.apply(
              subject,
              usage.volume(),
              true,
              claim ->
                  ClaimRules.attached(
                      claim,
                      usage.workload(),
                      holder.epoch(),
                      attached.context(),
                      clock.instant()));
      change
          .before()
          .holder(usage.workload())
          .filter(before -> change.changes() && before.attachment() instanceof Attached)
          .ifPresent(
              before ->
                  reports.notice(
                      usage,
                      OperatorCode.PUBLISH_CONTEXT_CHANGED,
                      subject,
                      "node '" + before.node() + "' had another one before"));
      return new Attached(attached.context());
    } catch (ClaimException late) {
      if (late.outcome() == ChangeOutcome.REFUSED) {
        owe(subject, usage, holder, use);
      }
      throw late;
    }
  }

  /**
   * Records that the volume may be attached for a claim that no longer exists. The record is
   * written before any other step, so that the volume is detached later.
   */
  private void owe(Subject subject, VolumeUse usage, ClaimHolder holder, Claim.Use use) {
    Change change =
        book.apply(
            subject,
            usage.volume(),
            false,
            claim -> ClaimRules.leftOver(claim, holder, use, clock.instant()));
    if (change.changes()) {
      reports.notice(
          usage,
          OperatorCode.ATTACH_LEFT_OVER,
          subject,
          "it was attached to node '" + holder.node() + "' after its claim had ended");
      reports.moved(usage.volume(), change);
    }
  }

  private ClaimException failure(
      Subject subject,
      VolumeUse usage,
      Claim claim,
      ClaimHolder holder,
      ControllerAnswer.Failed failed) {
    OperatorMessage message = attachMessage(subject, claim, holder, failed);
    if (failed.outcome() == Outcome.UNCERTAIN) {
      owe(subject, usage, holder, claim.use().orElseThrow());
    }
    if (isFull(failed)) {
      askLater(subject, usage);
      return refused(message);
    }
    if (failed.outcome() == Outcome.UNCERTAIN) {
      return new ClaimException(ChangeOutcome.UNCERTAIN, message, null);
    }
    return message.code() == OperatorCode.ATTACH_FAILED
        ? new ClaimException(ChangeOutcome.UNAVAILABLE, message, null)
        : refused(message);
  }

  /**
   * Whether the storage system reports that it has no capacity. The client uses the same code for
   * an answer that exceeds its size limit, but then the volume may be attached.
   */
  private static boolean isFull(ControllerAnswer.Failed failed) {
    return failed.code() == StatusCode.RESOURCE_EXHAUSTED
        && failed.failure().map(CsiFailure::answered).orElse(true);
  }

  private void askLater(Subject subject, VolumeUse usage) {
    Duration pause =
        pauses.merge(
            usage,
            FIRST_PAUSE,
            (before, first) ->
                before.compareTo(LONGEST_PAUSE.dividedBy(2)) > 0
                    ? LONGEST_PAUSE
                    : before.multipliedBy(2));
    Instant until = clock.instant().plus(pause);
    book.apply(
        subject,
        usage.volume(),
        false,
        claim -> new Granted(claim.exhausted(Optional.of(until)), true));
  }

  /** Returns the exception for a call that was not made because the claim had changed. */
  private ClaimException goneMeanwhile(Subject subject, VolumeUse usage, ClaimHolder holder) {
    Claim now = book.read(usage.volume());
    Optional<ClaimHolder> own = now.holder(usage.workload());
    boolean isLeaving = own.filter(it -> it.epoch() == holder.epoch()).isPresent();
    return refused(
        Messages.of(
            isLeaving ? OperatorCode.CLAIM_BEING_RELEASED : OperatorCode.CLAIM_MISSING,
            subject,
            isLeaving
                ? ClaimRules.words(own.get(), clock.instant())
                : "its claim of epoch " + holder.epoch() + " is gone"));
  }

  private OperatorMessage attachMessage(
      Subject subject, Claim claim, ClaimHolder holder, ControllerAnswer.Failed failed) {
    OperatorCode code =
        switch (failed.code()) {
          case RESOURCE_EXHAUSTED ->
              isFull(failed) ? OperatorCode.CLAIM_EXHAUSTED : OperatorCode.ATTACH_FAILED;
          case FAILED_PRECONDITION -> OperatorCode.ATTACHED_ELSEWHERE;
          case ALREADY_EXISTS -> OperatorCode.ATTACHED_OTHERWISE;
          case INVALID_ARGUMENT,
              NOT_FOUND,
              OUT_OF_RANGE,
              PERMISSION_DENIED,
              UNAUTHENTICATED,
              UNIMPLEMENTED ->
              failed.outcome() == Outcome.UNCERTAIN
                  ? OperatorCode.ATTACH_FAILED
                  : OperatorCode.ATTACH_REFUSED;
          default -> OperatorCode.ATTACH_FAILED;
        };
    OperatorMessage plain = ClaimReports.answered(code, subject, failed);
    return code == OperatorCode.ATTACHED_ELSEWHERE
        ? new OperatorMessage(
            code,
            plain.doing(),
            new OperatorMessage.Part(plain.seen() + "; " + others(claim, holder)),
            plain.safe(),
            plain.next())
        : plain;
  }

  private String others(Claim claim, ClaimHolder holder) {
    String words =
        claim.others(holder.workload()).stream()
            .map(each -> ClaimRules.words(each, clock.instant()))
            .collect(Collectors.joining(", "));
    return words.isEmpty()
        ? "no other workload has a claim of it"
        : "it is claimed by " + words + " too";
  }

  static ClaimException refused(OperatorMessage message) {
    return new ClaimException(ChangeOutcome.REFUSED, message, null);
  }
}
