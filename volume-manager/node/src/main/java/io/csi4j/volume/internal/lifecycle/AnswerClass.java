package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.model.MountPolicy;
import java.time.Duration;

/** The meaning of a failed call for the next step. */
enum AnswerClass {
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

  /** Whether the same call makes sense again. */
  boolean repeats() {
    return this != REFUSED;
  }

  /** How long to wait before the next try, drawn evenly up to a limit that doubles. */
  Duration pause(MountPolicy policy, int tries, double random) {
    long base = policy.backoff().toNanos();
    base = this == PENDING || this == LATER ? saturated(base, LONG) : base;
    for (int i = 1; i < tries && base < policy.backoffCap().toNanos(); i++) {
      base = saturated(base, 2);
    }
    long limit = Math.min(base, policy.backoffCap().toNanos());
    return Duration.ofNanos((long) (limit * random));
  }

  private static long saturated(long value, int times) {
    return value > Long.MAX_VALUE / times ? Long.MAX_VALUE : value * times;
  }

  /**
   * Whether a plugin has answered like this that it does not release what it knows: neither busy
   * with it, nor short of something, nor asked in a wrong way or by the wrong one.
   */
  static boolean isRefusalOfRelease(Answer.Failed failed) {
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
}
