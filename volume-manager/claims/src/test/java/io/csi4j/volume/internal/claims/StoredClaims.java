package io.csi4j.volume.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.claims.proto.ClaimProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The claims in a store, as a test reads and writes them without the rules. */
public final class StoredClaims {

  private final RecordStore store;
  private final RecordValues<Claim> records;

  private StoredClaims(RecordStore store) {
    this.store = store;
    this.records = new RecordValues<>(store, new ClaimCodec());
  }

  public static StoredClaims in(RecordStore store) {
    return new StoredClaims(store);
  }

  public Seen<Claim> read(VolumeKey volume) {
    return records.read(ClaimCodec.key(volume));
  }

  /** The claim of a volume; one that nobody holds where it was never written. */
  public Claim claim(VolumeKey volume) {
    return read(volume).value().orElseGet(() -> Claim.none(volume));
  }

  /** Writes a claim over the one that is there. */
  public Seen<Claim> write(Claim next) {
    return write(read(next.volume()), next);
  }

  /** Writes a claim over one that is still there. */
  public Seen<Claim> write(Seen<Claim> before, Claim next) {
    WriteResult result = attempt(before, next);
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return records.among(((WriteResult.Written) result).now(), before.key());
  }

  /** Tries to write a claim over one that was seen. */
  public WriteResult attempt(Seen<Claim> before, Claim next) {
    return store.write(records.draft(before, Optional.of(next)));
  }

  public RecordValues.Page<Claim> page(int limit) {
    return records.page(Optional.empty(), limit);
  }

  /** All claims that can be read. */
  public List<Claim> all() {
    return page(10_000).records().stream().flatMap(each -> each.value().stream()).toList();
  }

  /** The bytes of a claim with the version that stood in them before stores kept it. */
  public static byte[] withVersion(byte[] bytes, long version) {
    try {
      RecordBytes<ClaimProto.Claim> now = RecordBytes.read(ClaimProto.Claim.parser(), bytes, 3);
      return new RecordBytes<>(now.message().toBuilder().setVersion(version).build(), now.newer())
          .bytes();
    } catch (MalformedRecordException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The claim that a write makes. */
  public static Claim next(RecordWrite write) {
    try {
      return new ClaimCodec().decode(write.next().orElseThrow().bytes()).value();
    } catch (MalformedRecordException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The mark of the write that left these bytes. */
  public static UUID mark(StateValue value) {
    try {
      ClaimProto.Mark mark = ClaimProto.Claim.parseFrom(value.bytes()).getMark();
      return new UUID(mark.getMost(), mark.getLeast());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
