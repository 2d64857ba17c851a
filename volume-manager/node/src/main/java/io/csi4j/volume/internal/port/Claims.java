package io.csi4j.volume.internal.port;

import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The engine's interface to the confirmation of claims: it returns the standing of this node's
 * claims.
 */
public interface Claims {

  /**
   * The implementation for a node without claims. Such a node mounts no volume for a request with a
   * claim.
   */
  Claims NONE =
      new Claims() {
        @Override
        public Optional<NodeClaims> terms() {
          return Optional.empty();
        }

        @Override
        public void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
          then.accept(
              new ClaimStanding.Unknown(new ReasonText("the manager was opened without claims")));
        }

        @Override
        public void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then) {
          then.accept(
              new VolumeVerdict.Unknown(new ReasonText("the manager was opened without claims")));
        }
      };

  /** Returns the settings for checking claims; empty if the host has configured no checks. */
  Optional<NodeClaims> terms();

  /**
   * Queries the present standing of a claim. The calling thread never waits for the answer.
   *
   * @param then receives the answer at most once, on any thread; never if there is no answer
   */
  void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then);

  /**
   * Checks whether the volume of a claim exists. The calling thread never waits for the answer.
   *
   * @param then receives the answer at most once, on any thread; never if there is no answer
   */
  void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then);
}
