package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.internal.time.Backoff;
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

  static AnswerClass of(Answer.Failed failed) {
    AnswerClass bySender =
        switch (failed.code()) {
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
    return failed.sent() || bySender == REFUSED ? bySender : NOT_SENT;
  }

  /** Whether the plugin is certainly not working on it any more. */
  boolean isOver() {
    return this != GOING_ON && this != PENDING;
  }

  /** Whether the plugin may still be working on a call that failed like this. */
  public static boolean mayGoOn(Answer.Failed failed) {
    return !of(failed).isOver();
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
  public static boolean isRefusalOfRelease(Answer.Failed failed) {
    return failed.sent()
        && switch (failed.code()) {
          case UNKNOWN, INTERNAL, FAILED_PRECONDITION, OUT_OF_RANGE, ALREADY_EXISTS -> true;
          default -> false;
        };
  }

  /** Whether this code says that the volume is not known to the plugin. */
  static boolean saysUnknownVolume(Answer.Failed failed) {
    return failed.sent() && failed.code() == StatusCode.NOT_FOUND;
  }

  // ---- how it is told

  /**
   * The failure of a call. Where an earlier attempt of the same operation was sent, the plugin may
   * have done it, though the last attempt was not sent.
   */
  static Failure failure(Turn turn, Verb verb, Answer.Failed failed) {
    AnswerClass kind = AnswerClass.of(failed);
    if (kind == NOT_SENT && turn.sent().contains(verb)) {
      return new Failure(
          code(verb, failed, IN_DOUBT),
          verb.operation().rpcName()
              + " was sent before, and could not be sent again, "
              + failed.code()
              + ": "
              + failed.text(),
          Optional.empty());
    }
    return new Failure(
        code(verb, failed, kind),
        verb.operation().rpcName()
            + (failed.sent() ? " ended with " : " was not sent, ")
            + failed.code()
            + ": "
            + failed.text(),
        failed.cause().map(Throwable.class::cast));
  }

  private static OperatorCode code(Verb verb, Answer.Failed failed, AnswerClass kind) {
    if (failed.code() == StatusCode.UNAUTHENTICATED && !failed.sent()) {
      return OperatorCode.SECRETS_UNAVAILABLE;
    }
    if (kind == NOT_SENT) {
      return OperatorCode.PLUGIN_NOT_UP;
    }
    if (failed.code() == StatusCode.DATA_LOSS) {
      return OperatorCode.DATA_LOSS;
    }
    if (verb == Verb.UNSTAGE && failed.code() == StatusCode.UNIMPLEMENTED) {
      // What it staged when it could is owed until it can again.
      return OperatorCode.CAPABILITY_LOST;
    }
    if (!verb.isForward() && kind == REFUSED && !failed.sent()) {
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
    if (kind == REFUSED && !failed.sent()) {
      return failed.cause().orElse(null) instanceof CsiUnsupportedException
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
  static boolean isForPeople(Verb verb, Answer.Failed failed) {
    return failed.sent()
        && (failed.code() == StatusCode.INVALID_ARGUMENT
            || (verb == Verb.UNPUBLISH && failed.code() == StatusCode.UNIMPLEMENTED));
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
