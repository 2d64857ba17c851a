package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.OperatorCode;
import java.util.Optional;

/** How failed calls are told of. */
final class FailedCalls {

  private FailedCalls() {}

  /**
   * The failure of a call. Where an earlier attempt of the same operation was sent, the plugin may
   * have done it, though the last attempt was not sent.
   */
  static Failure failure(Turn turn, Verb verb, Answer.Failed failed) {
    AnswerClass kind = AnswerClass.of(failed);
    if (kind == AnswerClass.NOT_SENT && turn.sent().contains(verb)) {
      return new Failure(
          code(verb, failed, AnswerClass.IN_DOUBT),
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
    if (kind == AnswerClass.NOT_SENT) {
      return OperatorCode.PLUGIN_NOT_UP;
    }
    if (failed.code() == StatusCode.DATA_LOSS) {
      return OperatorCode.DATA_LOSS;
    }
    if (verb == Verb.UNSTAGE && failed.code() == StatusCode.UNIMPLEMENTED) {
      // What it staged when it could is owed until it can again.
      return OperatorCode.CAPABILITY_LOST;
    }
    if (!verb.isForward() && kind == AnswerClass.REFUSED && !failed.sent()) {
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
    if (kind == AnswerClass.REFUSED && !failed.sent()) {
      return failed.cause().orElse(null) instanceof CsiUnsupportedException
          ? OperatorCode.NOT_OFFERED
          : OperatorCode.NOT_ALLOWED_HERE;
    }
    if (kind == AnswerClass.REFUSED || AnswerClass.saysUnknownVolume(failed)) {
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
