package io.csi4j.volume.internal.plugin;

import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.Text;
import java.time.Duration;
import java.util.Optional;

/**
 * The reason why a plugin is not healthy, derived from an answer or from a missing answer.
 *
 * @param reason the kind of reason
 * @param code the code for an operator
 * @param text the reason, for people
 */
public record PluginTrouble(Reason reason, OperatorCode code, Text text) {

  /** Returns a trouble with text of unknown origin. */
  public static PluginTrouble of(Reason reason, OperatorCode code, String text) {
    return new PluginTrouble(reason, code, new Text(ForeignText.of(text)));
  }

  /** Returns the trouble of a plugin that did not answer within the limit. */
  public static PluginTrouble silent(Duration limit) {
    return of(
        Reason.SILENT,
        OperatorCode.PLUGIN_NOT_UP,
        "it did not answer within "
            + (limit.toMillisPart() == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms"));
  }

  /** Returns the trouble that an answer to a probe reports, if any. */
  public static Optional<PluginTrouble> of(Readiness readiness) {
    return readiness.isReady()
        ? Optional.empty()
        : Optional.of(
            of(
                Reason.NOT_READY,
                OperatorCode.PLUGIN_NOT_READY,
                "it answers that it is not ready yet"));
  }

  /**
   * Returns the trouble that an exception reports.
   *
   * @param limit the time limit of the question
   */
  public static PluginTrouble of(Throwable thrown, Duration limit) {
    if (!(thrown instanceof CsiException failed)) {
      return of(
          Reason.ERROR,
          OperatorCode.PLUGIN_NOT_UP,
          "calling it failed on this side: " + thrown.getClass().getName());
    }
    for (Throwable seen : failed.getSuppressed()) {
      if (seen instanceof CsiConnectException unreached) {
        return unreached(unreached, limit);
      }
    }
    if (failed instanceof CsiConnectException unreached) {
      return unreached(unreached, limit);
    }
    CsiFailure failure = failed.failure();
    return failed.code() == StatusCode.DEADLINE_EXCEEDED && failure.pluginText().isEmpty()
        ? silent(limit)
        : of(Reason.ERROR, code(failed), words(failure));
  }

  private static PluginTrouble unreached(CsiConnectException failed, Duration limit) {
    // If the name did not arrive in time, it is not known to be wrong.
    return failed.reason() == CsiConnectException.Reason.WRONG_PLUGIN
            && failed.code() == StatusCode.DEADLINE_EXCEEDED
        ? silent(limit)
        : of(reason(failed), code(failed), failed.failure().why());
  }

  private static OperatorCode code(CsiException failed) {
    return new PluginAnswer.Down(failed.failure().why(), Optional.of(failed)).code();
  }

  private static String words(CsiFailure failure) {
    return failure.why()
        + " ("
        + failure.code()
        + failure.pluginText().map(text -> ": " + text).orElse("")
        + ")";
  }

  private static Reason reason(CsiConnectException unreached) {
    return switch (unreached.reason()) {
      case NO_SUCH_SOCKET -> Reason.NO_SOCKET;
      case NOBODY_LISTENING -> Reason.NOBODY_LISTENS;
      case NOT_A_SOCKET, PERMISSION_DENIED, SYMLINK, UNSAFE_DIRECTORY, WRONG_PEER -> Reason.DENIED;
      case NO_ANSWER -> Reason.SILENT;
      case NOT_READY -> Reason.NOT_READY;
      // If the plugin could not return its name, the name is not known to be wrong.
      case WRONG_PLUGIN -> unreached.code() == StatusCode.OK ? Reason.REFUSED : Reason.ERROR;
      case NOT_GRPC, UNHEALTHY, PATH_TOO_LONG, INTERRUPTED, NO_TRANSPORT, FLOODS -> Reason.ERROR;
    };
  }

  /**
   * Returns whether another question would certainly have the same answer until a person changes
   * the configuration or the plugin.
   */
  public boolean isCertain() {
    return reason == Reason.DENIED || reason == Reason.REFUSED;
  }
}
