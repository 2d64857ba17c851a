package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiRequestException;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Violation;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts failed calls to the failures that callers get. */
final class ControllerFailures {

  private ControllerFailures() {}

  /** Returns the failure of a request that was refused before any call. */
  static ControllerException refused(OperatorCode code, Subject subject, String seen) {
    return failed(ChangeOutcome.REFUSED, code, subject, seen, null);
  }

  /** Returns the failure of a request that cannot be done now and had no effect. */
  static ControllerException unavailable(OperatorCode code, Subject subject, String seen) {
    return failed(ChangeOutcome.UNAVAILABLE, code, subject, seen, null);
  }

  /**
   * Returns the failure of an attempt at recorded work that goes on in the background: the work may
   * still be done later, so {@link ChangeOutcome#UNAVAILABLE} becomes uncertain.
   */
  static ControllerException onRecord(ControllerException failed) {
    if (failed.outcome() != ChangeOutcome.UNAVAILABLE) {
      return failed;
    }
    ControllerException uncertain =
        new ControllerException(
            ChangeOutcome.UNCERTAIN,
            failed.operatorMessage(),
            failed.violations(),
            failed.getCause());
    for (Throwable each : failed.getSuppressed()) {
      uncertain.addSuppressed(each);
    }
    return uncertain;
  }

  /**
   * Returns the failure of work that got no thread because the pool is closed or the machine is out
   * of threads.
   */
  static ControllerException noThread(Subject subject, String closed, Throwable refused) {
    return refused instanceof OutOfMemoryError
        ? failed(
            ChangeOutcome.UNAVAILABLE,
            OperatorCode.CONTROLLER_BUSY,
            subject,
            "no thread could be started for it; raise the limit of processes",
            refused)
        : unavailable(OperatorCode.ENGINE_CLOSED, subject, closed);
  }

  static ControllerException failed(
      ChangeOutcome outcome,
      OperatorCode code,
      Subject subject,
      String seen,
      @Nullable Throwable cause) {
    return new ControllerException(outcome, Messages.of(code, subject, seen), cause);
  }

  /** Returns the failure of a call that was not sent because the plugin cannot be reached. */
  static ControllerException down(Subject subject, PluginAnswer.Down reason) {
    return failed(
        ChangeOutcome.UNAVAILABLE,
        reason.code(),
        subject,
        reason.text(),
        reason.cause().orElse(null));
  }

  /** Returns the failure of a call. */
  static ControllerException of(Subject subject, Throwable thrown) {
    Throwable cause = Unwrapped.of(thrown);
    if (cause instanceof ControllerException known) {
      return known;
    }
    if (!(cause instanceof CsiException failed)) {
      return failed(
          ChangeOutcome.UNCERTAIN,
          OperatorCode.CONTROLLER_CALL_IN_DOUBT,
          subject,
          "the call failed on this side: " + cause,
          cause);
    }
    if (failed instanceof CsiAnswerException answer) {
      return new ControllerException(
          ChangeOutcome.UNCERTAIN,
          Messages.of(OperatorCode.CONTROLLER_ANSWER_UNUSABLE, subject, text(answer.violations())),
          answer.violations(),
          answer);
    }
    if (failed instanceof CsiRequestException request && !request.violations().isEmpty()) {
      return new ControllerException(
          ChangeOutcome.REFUSED,
          Messages.of(OperatorCode.VOLUME_REQUEST_REFUSED, subject, text(request.violations())),
          request.violations(),
          request);
    }
    if (failed instanceof CsiConnectException
        || (failed.attempts() == 0 && failed.code() == StatusCode.UNAVAILABLE)) {
      return down(subject, new PluginAnswer.Down(failed.failure().why(), Optional.of(failed)));
    }
    return new ControllerException(
        outcome(failed), Messages.answered(code(failed), subject, failed.failure()), failed);
  }

  private static ChangeOutcome outcome(CsiException failed) {
    return failed.outcome() == Outcome.UNCERTAIN ? ChangeOutcome.UNCERTAIN : ChangeOutcome.REFUSED;
  }

  private static OperatorCode code(CsiException failed) {
    if (failed instanceof CsiUnsupportedException) {
      return failed.operation().filter(CsiOperation::givesBack).isPresent()
          ? OperatorCode.RELEASE_NOT_OFFERED
          : OperatorCode.CONTROLLER_CALL_NOT_OFFERED;
    }
    return failed.outcome() == Outcome.UNCERTAIN
        ? OperatorCode.CONTROLLER_CALL_IN_DOUBT
        : OperatorCode.CONTROLLER_CALL_REFUSED;
  }

  /** Returns the same failure with another text for its reason and advice. */
  static ControllerException reworded(
      Subject subject, CsiException failed, String why, String advice) {
    CsiFailure said = failed.failure().toBuilder().why(why).advice(advice).build();
    return new ControllerException(
        outcome(failed), Messages.answered(code(failed), subject, said), failed);
  }

  static String text(List<Violation> violations) {
    return violations.stream().map(Violation::toString).collect(Collectors.joining("; "));
  }
}
