package io.csi4j.volume.claim.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Stored;

/** Makes claims of a local store unreadable, while the store is not open. */
public final class DamagedClaims {

  private DamagedClaims() {}

  /**
   * As if a newer version had written the claim, in a format of which this one knows the volume.
   */
  public static void inANewerFormat(MemoryMedium medium, VolumeKey volume) {
    try (StateStore state = medium.open()) {
      byte[] bytes = state.load().value(LocalClaimStore.key(volume)).orElseThrow().bytes().clone();
      bytes[1] = 9;
      put(state, volume, bytes);
    }
  }

  /** Puts bytes there that say nothing at all, not even whose claim it is. */
  public static void altogether(MemoryMedium medium, VolumeKey volume) {
    try (StateStore state = medium.open()) {
      put(state, volume, new byte[] {8, 9});
    }
  }

  private static void put(StateStore state, VolumeKey volume, byte[] bytes) {
    assertThat(state.put(LocalClaimStore.key(volume), StateValue.of(bytes), Durability.REQUIRED))
        .isEqualTo(Stored.DURABLE);
  }
}
