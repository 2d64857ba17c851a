package io.csi4j.volume.internal.port;

import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.util.Optional;
import java.util.function.Consumer;

/** The port to the confirmation of claims: it returns the standing of this node's claims. */
public interface Claims {

  /** A node without claims: it mounts no volume that is wanted under a claim. */
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

  /** Returns how this node checks claims; empty if the host has configured no checks. */
  Optional<NodeClaims> terms();

  /**
   * Asks for the present standing of a claim. The calling thread never waits for the answer.
   *
   * @param then receives the answer at most once, on any thread; never if there is no answer
   */
  void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then);

  /**
   * Asks whether the volume of a claim exists. The calling thread never waits for the answer.
   *
   * @param then receives the answer at most once, on any thread; never if there is no answer
   */
  void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then);
}
