package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import java.time.Duration;
import java.util.Optional;

/** The meaning of a failed call for the next step, and how the failure is told. */
public enum AnswerClass {
  /** The call certainly never left. */
  NOT_SENT,
  /** The plugin may be working on it: same call again. */
  GOING_ON,
  /** The call ended, and may have had an effect: same call again. */
  IN_DOUBT,
  /** Another call for the volume is going on: same call again, later. */
  PENDING,
  /** Something is used up, or not there yet: same call again, later. */
  LATER,
  /** A repeated call would end the same way. */
  REFUSED;

  private static final int LONG = 10;

  /** Returns the status of a call, where an answer that cannot be used, or none, is none. */
  public static StatusCode status(Answer answer) {
    return answer.failure().map(AnswerClass::status).orElse(StatusCode.OK);
  }

  private static StatusCode status(CsiFailure failure) {
    if (failure.code() == StatusCode.OK) {
      return StatusCode.INTERNAL;
    }
    // Without an answer the plugin may not have been heard: it may be working on it still.
    return Answer.isLost(failure) ? StatusCode.UNAVAILABLE : failure.code();
  }

  static AnswerClass of(CsiFailure failure) {
    AnswerClass bySender =
        switch (status(failure)) {
          case DEADLINE_EXCEEDED, CANCELLED, UNAVAILABLE -> GOING_ON;
          case ABORTED -> PENDING;
          case RESOURCE_EXHAUSTED, NOT_FOUND -> LATER;
          case INVALID_ARGUMENT,
              ALREADY_EXISTS,
              PERMISSION_DENIED,
              FAILED_PRECONDITION,
              OUT_OF_RANGE,
              UNIMPLEMENTED,
              UNAUTHENTICATED,
              DATA_LOSS ->
              REFUSED;
          case OK, UNKNOWN, INTERNAL -> IN_DOUBT;
        };
    return Answer.isSent(failure) || bySender == REFUSED ? bySender : NOT_SENT;
  }

  /** Whether the plugin is certainly not working on it any more. */
  boolean isOver() {
    return this != GOING_ON && this != PENDING;
  }

  /** Whether the plugin may still be working on a call that failed like this. */
  public static boolean mayGoOn(CsiFailure failure) {
    return !of(failure).isOver();
  }

  /** Whether the same call makes sense again. */
  boolean repeats() {
    return this != REFUSED;
  }

  /** How long to wait before the next try, drawn evenly up to a limit that doubles. */
  Duration pause(MountPolicy policy, int tries, double random) {
    Duration first =
        this == PENDING || this == LATER ? policy.backoff().multipliedBy(LONG) : policy.backoff();
    return Backoff.fullJitter(first, policy.backoffCap()).pause(tries, random);
  }

  /**
   * Whether a plugin has answered like this that it does not release what it knows: neither busy
   * with it, nor short of something, nor asked in a wrong way or by the wrong one.
   */
  public static boolean isRefusalOfRelease(CsiFailure failure) {
    return Answer.isSent(failure)
        && switch (status(failure)) {
          case UNKNOWN, INTERNAL, FAILED_PRECONDITION, OUT_OF_RANGE, ALREADY_EXISTS -> true;
          default -> false;
        };
  }

  /** Whether this code says that the volume is not known to the plugin. */
  static boolean saysUnknownVolume(CsiFailure failure) {
    return Answer.isSent(failure) && status(failure) == StatusCode.NOT_FOUND;
  }

  // ---- how it is told

  /**
   * The failure of a call. Where an earlier attempt of the same operation was sent, the plugin may
   * have done it, though the last attempt was not sent.
   */
  static Failure failure(Turn turn, Verb verb, Answer answer) {
    CsiFailure failed = answer.failure().orElseThrow();
    AnswerClass kind = AnswerClass.of(failed);
    if (kind == NOT_SENT && turn.sent().contains(verb)) {
      return new Failure(
          code(verb, answer, failed, IN_DOUBT),
          verb.operation().rpcName()
              + " was sent before, and could not be sent again, "
              + clause(failed),
          Optional.empty());
    }
    return new Failure(
        code(verb, answer, failed, kind),
        verb.operation().rpcName()
            + (answer.isSent() ? " ended with " : " was not sent, ")
            + clause(failed),
        answer.thrown().map(Throwable.class::cast));
  }

  /** Returns the status and why, as a clause. */
  public static String clause(CsiFailure failure) {
    return status(failure) + ": " + Answer.text(failure);
  }

  private static OperatorCode code(Verb verb, Answer answer, CsiFailure failed, AnswerClass kind) {
    if (status(failed) == StatusCode.UNAUTHENTICATED && !answer.isSent()) {
      return OperatorCode.SECRETS_UNAVAILABLE;
    }
    if (kind == NOT_SENT) {
      return OperatorCode.PLUGIN_NOT_UP;
    }
    if (status(failed) == StatusCode.DATA_LOSS) {
      return OperatorCode.DATA_LOSS;
    }
    if (verb == Verb.UNSTAGE && status(failed) == StatusCode.UNIMPLEMENTED) {
      // What it staged when it could is owed until it can again.
      return OperatorCode.CAPABILITY_LOST;
    }
    if (!verb.isForward() && kind == REFUSED && !answer.isSent()) {
      return OperatorCode.RELEASE_NOT_SENT;
    }
    if (!verb.isForward()) {
      return switch (kind) {
        case REFUSED ->
            isForPeople(verb, failed)
                ? OperatorCode.CLEANUP_NEEDS_HELP
                : OperatorCode.RELEASE_REFUSED;
        default ->
            verb == Verb.UNPUBLISH
                ? OperatorCode.UNPUBLISH_IN_DOUBT
                : OperatorCode.UNSTAGE_IN_DOUBT;
      };
    }
    if (kind == REFUSED && !answer.isSent()) {
      return answer.thrown().orElse(null) instanceof CsiUnsupportedException
          ? OperatorCode.NOT_OFFERED
          : OperatorCode.NOT_ALLOWED_HERE;
    }
    if (kind == REFUSED || saysUnknownVolume(failed)) {
      return OperatorCode.REFUSED_BY_PLUGIN;
    }
    if (kind.isOver()) {
      return OperatorCode.FAILED_IN_DOUBT;
    }
    return verb == Verb.STAGE ? OperatorCode.STAGE_IN_DOUBT : OperatorCode.PUBLISH_IN_DOUBT;
  }

  /**
   * Whether only a person can find out why a release was refused: our own request is wrong, or the
   * plugin has no such call.
   */
  static boolean isForPeople(Verb verb, CsiFailure failure) {
    return Answer.isSent(failure)
        && (status(failure) == StatusCode.INVALID_ARGUMENT
            || (verb == Verb.UNPUBLISH && status(failure) == StatusCode.UNIMPLEMENTED));
  }

  /** How a call is told of that may still be going on, and keeps its opposite waiting. */
  static Failure quarantined(Verb pending) {
    return new Failure(
        pending == Verb.STAGE ? OperatorCode.STAGE_IN_DOUBT : OperatorCode.PUBLISH_IN_DOUBT,
        "the plugin may still be working on an earlier "
            + pending.operation().rpcName()
            + ", which the opposite call must not overtake",
        Optional.empty());
  }
}
