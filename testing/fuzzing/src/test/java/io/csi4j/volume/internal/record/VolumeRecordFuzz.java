package io.csi4j.volume.internal.record;

import io.csi4j.fuzz.Finding;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.state.StateValue;
import java.util.Arrays;

/**
 * Records of volumes and tombstones: bytes are refused as malformed or are the only bytes of what
 * they say. A tombstone may have newer fields, which are passed over.
 */
public final class VolumeRecordFuzz {

  private VolumeRecordFuzz() {}

  /** Reads the bytes as either kind of record. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > StateValue.MAX_SIZE) {
      return;
    }
    StateValue value = StateValue.of(input);
    try {
      VolumeRecord volume = RecordCodec.decodeVolume(value);
      Finding.unless(
          Arrays.equals(RecordCodec.encode(volume).bytes(), input),
          () -> "a volume has other bytes");
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
    try {
      Tombstone tombstone = RecordCodec.decodeTombstone(value);
      byte[] known = RecordCodec.encode(tombstone).bytes();
      Finding.unless(
          known.length <= input.length && Arrays.mismatch(known, input) == firstNewer(known, input),
          () -> "a tombstone has other bytes");
      Finding.unless(
          RecordCodec.decodeTombstone(StateValue.of(known)).equals(tombstone),
          () -> "a tombstone is another when read again");
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
  }

  private static int firstNewer(byte[] known, byte[] input) {
    return known.length == input.length ? -1 : known.length;
  }
}
