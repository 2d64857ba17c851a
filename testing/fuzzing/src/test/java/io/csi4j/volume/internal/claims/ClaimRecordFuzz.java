package io.csi4j.volume.internal.claims;

import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.fuzz.Finding;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.claims.proto.ClaimProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.store.StoreCodec;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import java.util.Arrays;
import java.util.UUID;

/**
 * Claims and identities of their stores: bytes are refused as malformed or are the only bytes of
 * what they say.
 */
public final class ClaimRecordFuzz {

  private ClaimRecordFuzz() {}

  /** Reads the bytes as a claim, as an identity, and as a record of a local store. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > ClaimCodec.MAX_SIZE) {
      return;
    }
    try {
      ValueCodec.Decoded<Claim> claim = new ClaimCodec().decode(input);
      ClaimProto.Claim message = ClaimProto.Claim.parseFrom(input);
      UUID mark = new UUID(message.getMark().getMost(), message.getMark().getLeast());
      byte[] again = new ClaimCodec().encode(claim.value(), mark, claim.newer());
      // The version stood in the bytes before stores kept it.
      Finding.unless(
          message.getVersion() != 0 || Arrays.equals(again, input),
          () -> "a claim has other bytes");
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    } catch (InvalidProtocolBufferException impossible) {
      throw new IllegalStateException(impossible);
    }
    try {
      StoreIdentity identity = StoreCodec.identity(input, "the identity");
      Finding.unless(
          Arrays.equals(StoreCodec.encode(identity), input), () -> "an identity has other bytes");
    } catch (RecordStoreException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
    StateKey key = StateKey.claim("x");
    Finding.unless(
        StoreCodec.local(key, StateValue.of(input)).key().name().equals(key.toString()),
        () -> "a record is at a key that is not its own");
  }
}
