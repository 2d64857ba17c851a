package io.csi4j.volume.claim.coordination;

import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.claim.ClaimEvent.Ended;
import io.csi4j.volume.claim.ClaimEvent.Moved;
import io.csi4j.volume.claim.ClaimEvent.Noticed;
import io.csi4j.volume.claim.ClaimEvent.Started;
import io.csi4j.volume.claim.ClaimEvent.Work;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimListener;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Tells a listener what happens to claims. */
final class ClaimTelling {

  private static final System.Logger LOG = System.getLogger(ClaimTelling.class.getName());

  private final ClaimListener listener;

  ClaimTelling(ClaimListener listener) {
    this.listener = listener;
  }

  void tell(ClaimEvent event) {
    try {
      listener.on(event);
    } catch (RuntimeException thrown) {
      LOG.log(
          System.Logger.Level.WARNING,
          Messages.of(
                  OperatorCode.LISTENER_FAILED,
                  Subject.of("telling a listener of claims what happens"),
                  "it threw " + thrown.getClass().getName())
              .line());
    }
  }

  void notice(UsageKey usage, OperatorMessage message) {
    tell(new Noticed(usage, message));
  }

  /** Tells of those that are further than before. */
  void moved(VolumeKey volume, ClaimBook.Change change) {
    for (ClaimHolder now : change.after().holders().values()) {
      Optional<ClaimHolder> before = change.before().holder(now.workload());
      if (change.changes()
          && before
              .filter(it -> it.epoch() == now.epoch() && it.state() == now.state())
              .isEmpty()) {
        tell(new Moved(UsageKey.of(volume, now.workload()), now));
      }
    }
  }

  /** Does something, and tells how it begins and how it ends. */
  <T> T during(
      UsageKey usage,
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
}
