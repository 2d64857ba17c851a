package io.csi4j.volume.internal.claims;

import io.csi4j.fuzz.Finding;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import java.util.Arrays;

/**
 * Claims and identities of their stores: bytes are refused as malformed or are the only bytes of
 * what they say.
 */
public final class ClaimRecordFuzz {

  private ClaimRecordFuzz() {}

  /** Reads the bytes as a claim, and as an identity. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > ClaimCodec.MAX_SIZE) {
      return;
    }
    try {
      ClaimRecord claim = ClaimCodec.decode(input);
      Finding.unless(
          Arrays.equals(ClaimCodec.encode(claim), input), () -> "a claim has other bytes");
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
    try {
      StoreIdentity identity = ClaimCodec.decodeIdentity(input);
      Finding.unless(
          Arrays.equals(ClaimCodec.encode(identity), input), () -> "an identity has other bytes");
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
  }
}
