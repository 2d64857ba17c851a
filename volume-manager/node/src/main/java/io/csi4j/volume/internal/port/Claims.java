package io.csi4j.volume.internal.port;

import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.NodeClaims;
import java.util.Optional;
import java.util.function.Consumer;

/** What the claims are worth that this node was given, as those know who keep them. */
public interface Claims {

  /** Nobody keeps any: what is wanted under a claim is not mounted. */
  Claims NONE =
      new Claims() {
        @Override
        public Optional<NodeClaims> terms() {
          return Optional.empty();
        }

        @Override
        public void standing(UsageKey usage, long epoch, Consumer<ClaimStanding> then) {
          then.accept(
              new ClaimStanding.Unknown(
                  new Clause("the manager was not told whom to ask about claims")));
        }
      };

  /** How this node holds itself to them; nothing if it was not told. */
  Optional<NodeClaims> terms();

  /**
   * Asks what a claim is worth now. The thread that calls never waits for that.
   *
   * @param then told at most once, on any thread; never if nobody answers
   */
  void standing(UsageKey usage, long epoch, Consumer<ClaimStanding> then);
}
