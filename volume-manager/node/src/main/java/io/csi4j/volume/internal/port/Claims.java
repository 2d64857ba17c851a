package io.csi4j.volume.internal.port;

import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import java.util.Optional;
import java.util.function.Consumer;

/** The keepers of claims: they know what the claims of this node are worth. */
public interface Claims {

  /** A node without claims: a volume that is wanted under one is not mounted. */
  Claims NONE =
      new Claims() {
        @Override
        public Optional<NodeClaims> terms() {
          return Optional.empty();
        }

        @Override
        public void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
          then.accept(
              new ClaimStanding.Unknown(
                  new ReasonText("the manager was not told whom to ask about claims")));
        }

        @Override
        public void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then) {
          then.accept(
              new VolumeVerdict.Unknown(
                  new ReasonText("the manager was not told whom to ask about claims")));
        }
      };

  /** How this node holds itself to them; nothing if it was not told. */
  Optional<NodeClaims> terms();

  /**
   * Asks what a claim is worth now. The calling thread never waits for the answer.
   *
   * @param then told at most once, on any thread; never if there is no answer
   */
  void standing(VolumeUse usage, long epoch, Consumer<ClaimStanding> then);

  /**
   * Asks whether the volume of a claim exists. The calling thread never waits for the answer.
   *
   * @param then told at most once, on any thread; never if there is no answer
   */
  void verdict(VolumeUse usage, long epoch, Consumer<VolumeVerdict> then);
}
