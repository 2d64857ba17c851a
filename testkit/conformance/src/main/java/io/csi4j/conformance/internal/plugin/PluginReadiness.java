package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.StatusCode;
import java.util.Optional;

/**
 * Determines by Probe whether the plugin is ready. Probe is called once, and again after each
 * restart of the plugin.
 */
final class PluginReadiness {

  private static final Message PROBE = ProbeRequest.getDefaultInstance();

  private final SuiteRun run;
  private boolean asked;
  private Optional<String> unready = Optional.empty();

  PluginReadiness(SuiteRun run) {
    this.run = run;
  }

  /** Waits until a restarted plugin answers, on new connections to its sockets. */
  void awaitAnswer() {
    asked = false;
    Trial trial = new Trial(run, 0);
    awaitAnswer(trial, run.controller());
    if (run.node() != run.controller()) {
      awaitAnswer(trial, run.node());
    }
  }

  private void awaitAnswer(Trial trial, RawPlugin socket) {
    Pause pause = new Pause(run.deadline());
    Reply reply;
    do {
      reply = trial.unjudged(PROBE, socket);
    } while (reply.lost() && run.presence().mayAnswer(socket) && pause.again());
    run.presence().heard(reply, socket);
  }

  /**
   * Ends the case if the plugin reports that it is not ready, because the calls of the case might
   * fail for that reason.
   */
  void check() {
    if (!asked) {
      // A plugin that does not answer Probe counts as ready here, because the cases judge such a
      // plugin.
      asked = true;
      unready = Optional.empty();
      unready = awaitReady(new Trial(run, 0));
    }
    if (unready.isPresent()) {
      throw CaseEndedException.notRun(unready.get());
    }
  }

  /**
   * Waits until the plugin is ready. If the plugin still reports at the deadline that it is not
   * ready, returns the reason.
   */
  private Optional<String> awaitReady(Trial trial) {
    Pause pause = new Pause(run.deadline());
    Optional<String> why;
    do {
      why = unready(trial, trial.call(PROBE));
      if (why.isEmpty() && Need.SEPARATE_SOCKETS.met(trial)) {
        why = unready(trial, trial.callNode(PROBE));
      }
    } while (why.isPresent() && pause.again());
    return why;
  }

  /**
   * Returns the reason why the plugin is not ready; empty if its answer to Probe does not say so.
   */
  static Optional<String> unready(Trial trial, Reply probed) {
    if (probed.code() == StatusCode.FAILED_PRECONDITION) {
      return Optional.of("the plugin reports that it is unhealthy: " + trial.shown(probed));
    }
    if (!probed.isOk()) {
      return Optional.empty();
    }
    ProbeResponse answer = trial.answer(probed, ProbeResponse.class);
    return answer.hasReady() && !answer.getReady().getValue()
        ? Optional.of("the plugin says that it is not ready. Run the suite when it is")
        : Optional.empty();
  }
}
