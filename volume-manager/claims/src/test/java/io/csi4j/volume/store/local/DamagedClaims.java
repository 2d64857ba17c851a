package io.csi4j.volume.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.store.StoreCodec;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;

/** Makes claims of a local store unreadable, while the store is not open. */
public final class DamagedClaims {

  private DamagedClaims() {}

  /**
   * As if a newer version had written the claim, in a format of which this one knows the volume.
   */
  public static void inANewerFormat(MemoryMedium medium, VolumeKey volume) {
    try (StateStore state = medium.open()) {
      byte[] bytes = state.load().value(key(volume)).orElseThrow().bytes().clone();
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

  private static StateKey key(VolumeKey volume) {
    return StoreCodec.stateKey(RecordKey.of(RecordKey.Space.CLAIMS, volume));
  }

  private static void put(StateStore state, VolumeKey volume, byte[] bytes) {
    assertThat(state.put(key(volume), StateValue.of(bytes), Durability.REQUIRED))
        .isEqualTo(Stored.DURABLE);
  }
}
