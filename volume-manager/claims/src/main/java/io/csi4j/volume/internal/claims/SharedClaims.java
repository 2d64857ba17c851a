package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.SealedBytes;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Claims as the bytes that several processes keep in one store, which counts their versions: sealed
 * where the host has a key. What a newer version of csi4j wrote beside a claim is kept when the
 * claim is written here.
 */
public final class SharedClaims {

  /**
   * A claim as a store keeps it.
   *
   * @param name the name under which it is kept
   * @param shown the same for people
   * @param version the number of the write of it, as the store has it
   * @param bytes the bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Kept(byte[] name, String shown, long version, byte[] bytes) {}

  /** Asks a store for claims in the order of their names. */
  @FunctionalInterface
  public interface Question {

    /**
     * Returns the claims behind a name.
     *
     * @param limit how many; fewer only if there are no more
     */
    List<Kept> behind(byte[] name, int limit);
  }

  private record NewerFields(ClaimVersion version, UnknownFields fields) {}

  private final String store;
  private final @Nullable Sealer sealer;
  private final ConcurrentMap<VolumeKey, NewerFields> newer = new ConcurrentHashMap<>();

  /**
   * The claims of a store.
   *
   * @param store the product, for messages
   */
  public SharedClaims(String store, Optional<Sealer> sealer) {
    this.store = store;
    this.sealer = sealer.orElse(null);
  }

  /**
   * The bytes of a claim in clear.
   *
   * @param before the version that it follows on
   */
  public byte[] clear(Claim claim, WriteToken by, ClaimVersion before) {
    return ClaimCodec.encode(ClaimRecord.of(claim, by, beside(claim.volume(), before)));
  }

  /**
   * The bytes of a claim as they are kept.
   *
   * @param before the version that it follows on
   * @throws RecordStoreException if it has too many, or cannot be sealed
   */
  public byte[] bytes(Claim claim, WriteToken by, ClaimVersion before) {
    byte[] clear = clear(claim, by, before);
    if (sealer == null) {
      return clear;
    }
    try {
      return SealedBytes.seal(clear, SortedName.about(SortedName.of(claim.volume())), sealer);
    } catch (SealException e) {
      throw new RecordStoreException(
          Reason.UNAVAILABLE,
          "Writing the claim of volume '"
              + ForeignText.of(claim.volume().toString())
              + "' failed: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Returns a page of claims, with what is wrong with those that cannot be read. A page ends with
   * the name of a volume, behind which the next one begins; so it is longer where other names are.
   */
  public ClaimPage page(Optional<VolumeKey> after, int limit, Question question) {
    List<Versioned> readable = new ArrayList<>();
    List<ClaimPage.Unreadable> unreadable = new ArrayList<>();
    byte[] last = after.map(SortedName::of).orElse(new byte[0]);
    while (true) {
      List<Kept> rows = question.behind(last, limit);
      for (Kept row : rows) {
        try {
          readable.add(claim(row));
        } catch (RecordStoreException e) {
          unreadable.add(
              new ClaimPage.Unreadable(
                  row.shown(), SortedName.volume(row.name()), String.valueOf(e.getMessage())));
        }
      }
      if (rows.size() < limit) {
        return new ClaimPage(readable, unreadable, Optional.empty());
      }
      last = rows.get(rows.size() - 1).name();
      Optional<VolumeKey> next = SortedName.volume(last);
      if (next.isPresent()) {
        return new ClaimPage(readable, unreadable, next);
      }
    }
  }

  /**
   * The claim in these bytes.
   *
   * @throws RecordStoreException if it cannot be read, or is that of another volume
   */
  public Versioned claim(Kept kept) {
    String shown = kept.shown();
    if (kept.version() < 1) {
      throw new RecordStoreException(
          Reason.UNREADABLE,
          "Reading the claim under the key '"
              + ForeignText.of(shown)
              + "' of "
              + store
              + " failed: it has version "
              + kept.version()
              + ", and a claim that was written has at least 1. Restore its version, or find out"
              + " what the nodes have mounted before the record is removed.");
    }
    ClaimVersion version = new ClaimVersion(kept.version());
    ClaimRecord record;
    try {
      record = ClaimCodec.decode(opened(kept.name(), shown, kept.bytes()));
    } catch (MalformedRecordException e) {
      throw ClaimCodec.unreadable("the claim under the key '" + shown + "' of " + store, e);
    }
    VolumeKey volume = record.claim().volume();
    if (!Arrays.equals(kept.name(), SortedName.of(volume))) {
      throw new RecordStoreException(
          Reason.UNREADABLE,
          "Reading claims from "
              + store
              + " failed: under the key '"
              + ForeignText.of(shown)
              + "' stands the claim of volume '"
              + ForeignText.of(volume.toString())
              + "'. Find out who wrote it, and delete that key.");
    }
    saw(volume, version, record.unknown());
    return record.at(version);
  }

  private byte[] opened(byte[] name, String shown, byte[] bytes) {
    if (!SealedBytes.areSealed(bytes)) {
      return bytes;
    }
    String problem = "it is sealed, and this host was given no key. Give it the key of the others.";
    if (sealer != null) {
      try {
        return SealedBytes.open(bytes, SortedName.about(name), sealer);
      } catch (SealException e) {
        problem = String.valueOf(e.getMessage());
      }
    }
    throw new RecordStoreException(
        Reason.UNREADABLE,
        "Reading the claim under the key '"
            + ForeignText.of(shown)
            + "' of "
            + store
            + " failed: "
            + problem);
  }

  /** Takes in what stands beside the claim in this version. */
  private void saw(VolumeKey volume, ClaimVersion version, UnknownFields fields) {
    newer.compute(
        volume,
        (key, before) ->
            before != null && before.version().compareTo(version) > 0
                ? before
                : fields.equals(UnknownFields.NONE) ? null : new NewerFields(version, fields));
  }

  /** Returns the fields to write with the claim that follows on this version. */
  private UnknownFields beside(VolumeKey volume, ClaimVersion version) {
    NewerFields known = newer.get(volume);
    return known != null && known.version().equals(version) ? known.fields() : UnknownFields.NONE;
  }
}
