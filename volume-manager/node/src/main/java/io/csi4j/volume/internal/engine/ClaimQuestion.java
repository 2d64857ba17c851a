package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.NodeClaims;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Asks what a claim is worth, and waits no longer for the answer than the host allows. */
final class ClaimQuestion {

  /** Where the host has said nothing. */
  private static final Duration USUAL = Duration.ofSeconds(10);

  private ClaimQuestion() {}

  /**
   * Asks.
   *
   * @param then told exactly once, on any thread
   */
  static void ask(EngineParts parts, UsageKey usage, long epoch, Consumer<ClaimStanding> then) {
    Duration patience = parts.claims().terms().map(NodeClaims::patience).orElse(USUAL);
    AtomicBoolean isTold = new AtomicBoolean();
    Scheduler.Timer limit =
        parts
            .scheduler()
            .after(
                patience,
                () ->
                    tell(
                        isTold,
                        new ClaimStanding.Unknown(
                            new Clause(
                                "there was no answer within " + patience.toMillis() + " ms")),
                        then));
    parts
        .claims()
        .standing(
            usage,
            epoch,
            standing -> {
              limit.cancel();
              tell(isTold, standing, then);
            });
  }

  private static void tell(
      AtomicBoolean isTold, ClaimStanding standing, Consumer<ClaimStanding> then) {
    if (isTold.compareAndSet(false, true)) {
      then.accept(standing);
    }
  }
}
