package io.csi4j.volume.claim.coordination;

import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimEvent.Ended;
import io.csi4j.volume.claim.ClaimEvent.Moved;
import io.csi4j.volume.claim.ClaimEvent.Noticed;
import io.csi4j.volume.claim.ClaimEvent.Started;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.coordination.ClaimBook.Change;
import io.csi4j.volume.claim.spi.ControllerAnswer;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reports the events of claims to a listener.
 *
 * @param listener the listener, whose exceptions are logged
 */
record ClaimReports(ClaimEvent.Listener listener) {

  private static final System.Logger LOG = System.getLogger(ClaimCoordinator.class.getName());

  void tell(ClaimEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException thrown) {
      LOG.log(
          System.Logger.Level.WARNING,
          Messages.of(
                  OperatorCode.LISTENER_FAILED,
                  Subject.of("notifying a listener of claims"),
                  "it threw " + thrown.getClass().getName())
              .line());
    }
  }

  void notice(VolumeUse usage, OperatorMessage message) {
    tell(new Noticed(usage, message));
  }

  void notice(VolumeUse usage, OperatorCode code, Subject subject, String seen) {
    notice(usage, Messages.of(code, subject, seen));
  }

  /** Reports each holder that is new, or whose state or epoch has changed. */
  void moved(VolumeKey volume, Change change) {
    for (ClaimHolder now : change.after().holders().values()) {
      Optional<ClaimHolder> before = change.before().holder(now.workload());
      if (change.changes()
          && before
              .filter(it -> it.epoch() == now.epoch() && it.state() == now.state())
              .isEmpty()) {
        tell(new Moved(VolumeUse.of(volume, now.workload()), now));
      }
    }
  }

  /** Runs the work, and reports its beginning and its end. */
  <T> T during(VolumeUse usage, Work work, Supplier<T> doing) {
    return during(usage, work, doing, done -> Optional.empty());
  }

  /**
   * Runs the work, and reports its beginning and its end.
   *
   * @param trouble returns the problem that a result contains, if any
   */
  <T> T during(
      VolumeUse usage,
      Work work,
      Supplier<T> doing,
      Function<T, Optional<OperatorMessage>> trouble) {
    tell(new Started(usage, work));
    Optional<OperatorMessage> problem =
        Optional.of(
            Messages.of(
                OperatorCode.STEP_FAILED, Subject.of("working on the claim of").by(usage), ""));
    try {
      T done = doing.get();
      problem = trouble.apply(done);
      return done;
    } catch (ClaimException refused) {
      problem = Optional.of(refused.operatorMessage());
      throw refused;
    } finally {
      tell(new Ended(usage, work, problem));
    }
  }

  static Optional<OperatorMessage> trouble(ClaimProgress progress) {
    return progress instanceof ClaimProgress.WaitsForStorage stuck
        ? Optional.of(stuck.message())
        : Optional.empty();
  }

  /** Returns the answer if it is a failure; empty otherwise. */
  static Optional<ControllerAnswer.Failed> failed(ControllerAnswer answer) {
    return answer instanceof ControllerAnswer.Failed failed
        ? Optional.of(failed)
        : Optional.empty();
  }

  /** Returns the message for operators about a failed call. */
  static OperatorMessage answered(
      OperatorCode code, Subject subject, ControllerAnswer.Failed failed) {
    return failed
        .failure()
        .map(failure -> Messages.answered(code, subject, failure))
        .orElseGet(() -> Messages.of(code, subject, failed.because().text()));
  }
}
