package io.csi4j.volume.internal.catalog;

import io.csi4j.fuzz.Finding;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.state.StateValue;

/**
 * Records of the catalog: bytes are refused as malformed, or what they say comes back when it is
 * written and read again.
 */
public final class CatalogRecordFuzz {

  private CatalogRecordFuzz() {}

  /** Reads the bytes as a volume of the catalog. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > StateValue.MAX_SIZE) {
      return;
    }
    CatalogCodec.Stored record;
    try {
      record = CatalogCodec.stored(input);
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
      return;
    }
    byte[] again = CatalogCodec.encode(record);
    try {
      Finding.unless(
          CatalogCodec.stored(again).equals(record), () -> "a volume is another when read again");
    } catch (MalformedRecordException refused) {
      Finding.unless(false, () -> "a volume cannot be read again: " + refused.getMessage());
    }
  }
}
