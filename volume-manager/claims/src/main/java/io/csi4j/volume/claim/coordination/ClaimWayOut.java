package io.csi4j.volume.claim.coordination;

import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.volume.claim.Attachment;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.NodeAttachment.Attached;
import io.csi4j.volume.claim.spi.AttachmentTask;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.claim.spi.StorageController;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.claims.ReturnRules;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/** Has a claimed volume attached to its node, and writes down what came of it. */
final class ClaimWayOut {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

  private final ClaimBook book;
  private final StorageController controller;
  private final Clock clock;
  private final ClaimTelling telling;
  private final ConcurrentMap<UsageKey, Duration> pauses = new ConcurrentHashMap<>();

  ClaimWayOut(ClaimBook book, StorageController controller, Clock clock, ClaimTelling telling) {
    this.book = book;
    this.controller = controller;
    this.clock = clock;
    this.telling = telling;
  }

  /** Attaches for a holder of a claim who is to have it attached. */
  Attached attach(UsageKey usage, Claim claim, ClaimHolder holder) {
    Subject subject = Subject.of("attaching").by(usage);
    Claim.Use use = claim.use().orElseThrow();
    Optional<Instant> until = claim.exhaustedUntil().filter(it -> it.isAfter(clock.instant()));
    if (until.isPresent()) {
      throw refused(
          Messages.of(
              OperatorCode.CLAIM_EXHAUSTED,
              subject,
              "it had no room, and is asked again in "
                  + Duration.between(clock.instant(), until.get()).toSeconds()
                  + " s"));
    }
    AttachmentTask task =
        new AttachmentTask(
            usage.volume(),
            holder.nodeId().orElseThrow(),
            use,
            ReturnRules.readonly(use, holder.mode()),
            holder.options());
    ControllerAnswer answer =
        telling.during(
            usage,
            Work.ATTACH,
            () -> controller.attach(task, () -> book.isCurrent(usage, holder.epoch())),
            it -> problem(subject, claim, holder, it));
    if (answer instanceof ControllerAnswer.Attached attached) {
      pauses.remove(usage);
      return write(subject, usage, holder, use, attached);
    }
    if (answer instanceof ControllerAnswer.Failed failed) {
      throw failure(subject, usage, claim, holder, failed);
    }
    throw goneMeanwhile(subject, usage, holder);
  }

  /** Returns the grant that a node is given for a claim. */
  static ClaimGrant grant(
      UsageKey usage,
      Claim claim,
      ClaimHolder holder,
      PublishContext context,
      boolean contextChanged) {
    Optional<VolumeCapability> capability =
        claim
            .use()
            .flatMap(
                use ->
                    use.attachment() == Attachment.BLOCK_DEVICE
                        ? Optional.of(VolumeCapability.block(use.mode()))
                        : holder.options().map(how -> VolumeCapability.mount(use.mode(), how)));
    return new ClaimGrant(
        usage, holder.node(), holder.epoch(), holder.mode(), context, capability, contextChanged);
  }

  private Attached write(
      Subject subject,
      UsageKey usage,
      ClaimHolder holder,
      Claim.Use use,
      ControllerAnswer.Attached attached) {
    try {
      ClaimBook.Change change =
          book.apply(
              subject,
              usage.volume(),
              true,
              claim ->
                  ReturnRules.attached(
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
                  telling.notice(
                      usage,
                      Messages.of(
                          OperatorCode.PUBLISH_CONTEXT_CHANGED,
                          subject,
                          "node '" + before.node() + "' was given another one before")));
      return new Attached(attached.context());
    } catch (ClaimException late) {
      if (late.outcome() == ClaimException.Outcome.REFUSED) {
        owe(subject, usage, holder, use);
      }
      throw late;
    }
  }

  /**
   * Writes down, before anything else, that the volume may be attached for a claim that is gone.
   */
  private void owe(Subject subject, UsageKey usage, ClaimHolder holder, Claim.Use use) {
    ClaimBook.Change change =
        book.apply(
            subject,
            usage.volume(),
            false,
            claim -> ReturnRules.leftOver(claim, holder, use, clock.instant()));
    if (change.changes()) {
      telling.notice(
          usage,
          Messages.of(
              OperatorCode.ATTACH_LEFT_OVER,
              subject,
              "it was attached to node '" + holder.node() + "' after that"));
      telling.moved(usage.volume(), change);
    }
  }

  private ClaimException failure(
      Subject subject,
      UsageKey usage,
      Claim claim,
      ClaimHolder holder,
      ControllerAnswer.Failed failed) {
    OperatorMessage message = message(subject, claim, holder, failed);
    if (failed.outcome() == Outcome.UNCERTAIN) {
      owe(subject, usage, holder, claim.use().orElseThrow());
    }
    if (failed.code() == StatusCode.RESOURCE_EXHAUSTED) {
      askLater(subject, usage);
      return refused(message);
    }
    if (failed.outcome() == Outcome.UNCERTAIN) {
      return new ClaimException(ClaimException.Outcome.UNCERTAIN, message, null);
    }
    return switch (failed.code()) {
      case INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          OUT_OF_RANGE,
          PERMISSION_DENIED,
          UNAUTHENTICATED,
          UNIMPLEMENTED ->
          refused(message);
      default -> new ClaimException(ClaimException.Outcome.UNAVAILABLE, message, null);
    };
  }

  private void askLater(Subject subject, UsageKey usage) {
    Duration pause =
        pauses.merge(
            usage,
            FIRST_PAUSE,
            (before, first) ->
                before.compareTo(LONGEST_PAUSE.dividedBy(2)) > 0
                    ? LONGEST_PAUSE
                    : before.multipliedBy(2));
    Instant until = clock.instant().plus(pause);
    ClaimBook.Change noted =
        book.apply(
            subject,
            usage.volume(),
            false,
            claim -> new Granted(claim.exhausted(Optional.of(until)), true));
    assert noted.changes();
  }

  /** Forgets what was remembered for a use. */
  void forget(UsageKey usage) {
    pauses.remove(usage);
  }

  /** The storage system was not asked, as the claim was not what it had been. */
  private ClaimException goneMeanwhile(Subject subject, UsageKey usage, ClaimHolder holder) {
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

  private Optional<OperatorMessage> problem(
      Subject subject, Claim claim, ClaimHolder holder, ControllerAnswer answer) {
    return answer instanceof ControllerAnswer.Failed failed
        ? Optional.of(message(subject, claim, holder, failed))
        : Optional.empty();
  }

  private OperatorMessage message(
      Subject subject, Claim claim, ClaimHolder holder, ControllerAnswer.Failed failed) {
    OperatorCode code =
        switch (failed.code()) {
          case RESOURCE_EXHAUSTED -> OperatorCode.CLAIM_EXHAUSTED;
          case FAILED_PRECONDITION -> OperatorCode.ATTACHED_ELSEWHERE;
          case ALREADY_EXISTS -> OperatorCode.ATTACHED_OTHERWISE;
          default -> OperatorCode.ATTACH_FAILED;
        };
    OperatorMessage plain = said(code, subject, failed);
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
    return words.isEmpty() ? "nobody else has a claim of it" : "it is claimed by " + words + " too";
  }

  /** Returns the message about a call that failed. */
  static OperatorMessage said(OperatorCode code, Subject subject, ControllerAnswer.Failed failed) {
    return failed
        .failure()
        .map(failure -> Messages.answered(code, subject, failure))
        .orElseGet(() -> Messages.of(code, subject, failed.because().text()));
  }

  static ClaimException refused(OperatorMessage message) {
    return new ClaimException(ClaimException.Outcome.REFUSED, message, null);
  }
}
