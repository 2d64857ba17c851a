package io.csi4j.volume.claim.store;

import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimRecord;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Doubt;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a state says of claims.
 *
 * @param identity which store it is; nothing if it was not written yet
 * @param claims the claims that can be read
 * @param unreadable what is wrong with the others
 * @param doubts what the state cannot vouch for
 */
record StoredClaims(
    Optional<StoreIdentity> identity,
    Map<VolumeKey, ClaimRecord> claims,
    Map<StateKey, MalformedRecordException> unreadable,
    List<Doubt> doubts) {

  /** Where the identity is kept: no hash of a volume is as short. */
  static final StateKey IDENTITY = StateKey.claim("identity");

  /**
   * Reads it.
   *
   * @throws ClaimStoreException if it cannot say which store it is
   * @throws IllegalArgumentException if there is something else in it
   */
  static StoredClaims of(LoadedState loaded) {
    Map<VolumeKey, ClaimRecord> claims = new TreeMap<>();
    Map<StateKey, MalformedRecordException> unreadable = new HashMap<>();
    loaded
        .values()
        .forEach(
            (key, value) -> {
              if (key.kind() != StateKind.CLAIM) {
                throw new IllegalArgumentException(
                    "The state holds "
                        + key
                        + ", so it is that of a volume manager. Give the claims a state of their"
                        + " own.");
              }
              if (!key.equals(IDENTITY)) {
                try {
                  ClaimRecord record = decoded(key, value);
                  claims.put(record.claim().volume(), record);
                } catch (MalformedRecordException e) {
                  unreadable.put(key, e);
                }
              }
            });
    Optional<StoreIdentity> identity = loaded.value(IDENTITY).map(StoredClaims::identity);
    boolean isEmpty = claims.isEmpty() && unreadable.isEmpty();
    List<Doubt> doubts =
        loaded.doubts().stream()
            .filter(doubt -> doubt.reason() != StateReason.JOURNAL_TAIL_DROPPED)
            .toList();
    if (identity.isEmpty() && !isEmpty && doubts.isEmpty()) {
      throw new ClaimStoreException(
          Reason.UNREADABLE,
          "Opening the store of claims failed: its state has claims and does not say which store"
              + " it is. Find out who wrote it.");
    }
    return new StoredClaims(identity, claims, unreadable, doubts);
  }

  private static ClaimRecord decoded(StateKey key, StateValue value)
      throws MalformedRecordException {
    ClaimRecord record = ClaimCodec.decode(value.bytes());
    if (!key(record.claim().volume()).equals(key)) {
      throw new MalformedRecordException("It is that of another volume.");
    }
    if (record.version().equals(ClaimVersion.NEVER)) {
      throw new MalformedRecordException("It does not say its version.");
    }
    return record;
  }

  private static StoreIdentity identity(StateValue value) {
    try {
      return ClaimCodec.decodeIdentity(value.bytes());
    } catch (MalformedRecordException e) {
      throw ClaimCodec.unreadable("the identity of the store of claims", e);
    }
  }

  /** The highest version of a claim. */
  long highestVersion() {
    return claims.values().stream().mapToLong(each -> each.version().value()).max().orElse(0);
  }

  /** Why the claim of a volume may have been lost, in part or as a whole. */
  static Optional<Clause> doubt(List<Doubt> doubts, VolumeKey volume) {
    if (doubts.isEmpty()) {
      return Optional.empty();
    }
    StateKey key = key(volume);
    return doubts.stream()
        .filter(doubt -> doubt.hidesUnknownKeys() || doubt.keys().contains(key))
        .findFirst()
        .map(
            doubt ->
                new Clause("its journal is in doubt (" + doubt.reason() + "): " + doubt.text()));
  }

  /** The key of a claim in the state. */
  static StateKey key(VolumeKey volume) {
    return StateKey.claim(HashedName.of(volume.namespace().value(), volume.id()));
  }
}
