package io.csi4j.volume.claim.store;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimRecord;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateKind;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Stored;
import io.csi4j.volume.state.Uncertainty;
import io.csi4j.volume.state.journal.JournalStateStore;
import io.csi4j.volume.state.seal.SealedStateStore;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A store on the disk of this host, for one process at a time: the one to use where no claim has to
 * be seen by another machine. What it says is written is on the medium, and survives any crash and
 * power cut.
 *
 * <p>Its state is its own, never that of a {@code VolumeManager}: that one settles the
 * uncertainties of its state when it has looked at its mounts, which say nothing of claims.
 *
 * <p>After damage to the journal nothing is claimed of the volumes that may be concerned, until a
 * person has compared the claims with what is mounted and calls {@link #settle()}; giving back goes
 * on. The torn end that a crash in the middle of a write leaves is no damage: no caller was told
 * that this write was done.
 *
 * @since 1.0
 */
public final class LocalClaimStore implements ClaimStore {

  /** Where the identity is kept: no hash of a volume is as short. */
  static final StateKey IDENTITY = StateKey.claim("identity");

  /** Each opening has so many versions, and the next one begins behind them. */
  private static final long VERSIONS_OF_AN_EPOCH = 1L << 32;

  private final StateStore state;
  private final StoreIdentity identity;
  private final AtomicLong lastVersion;
  private final Map<StateKey, MalformedRecordException> unreadable;
  private final List<ClaimPage.Unreadable> told;
  private final ConcurrentNavigableMap<VolumeKey, ClaimRecord> claims;
  private final Turns<VolumeKey> turns = new Turns<>();
  private final ClaimFeed feed = new ClaimFeed();
  private volatile List<Uncertainty> uncertainties;
  private volatile boolean closed;

  /** Set when another process has the state, and this one no longer knows what is in it. */
  private volatile @Nullable StateException takenOver;

  private LocalClaimStore(StateStore state, StoredClaims stored, StoreIdentity identity) {
    this.state = state;
    this.identity = identity;
    this.claims = new ConcurrentSkipListMap<>(stored.claims());
    this.unreadable = Map.copyOf(stored.unreadable());
    this.told = stored.told();
    this.uncertainties = stored.uncertainties();
    this.lastVersion =
        new AtomicLong(
            Math.max(
                Math.multiplyExact(state.owner().epoch(), VERSIONS_OF_AN_EPOCH),
                stored.highestVersion()));
  }

  /**
   * Opens the claims in this directory, which is made when it is missing. Its parent has to be
   * there, on a local disk.
   *
   * @throws RecordStoreException if they are in use by another, or cannot be read
   */
  public static LocalClaimStore open(Path directory) {
    return opened(directory, UnaryOperator.identity());
  }

  /**
   * The same, with each claim sealed. What is there in clear is sealed now.
   *
   * @throws RecordStoreException if they are in use by another, cannot be read, or do not open
   */
  public static LocalClaimStore open(Path directory, Sealer sealer) {
    return opened(directory, state -> SealedStateStore.on(state, sealer));
  }

  private static LocalClaimStore opened(Path directory, UnaryOperator<StateStore> sealing) {
    try {
      return on(sealing.apply(JournalStateStore.open(directory, JournalSettings.defaults())));
    } catch (StateException e) {
      throw unavailable(e);
    }
  }

  /**
   * Opens the claims in a state that is kept for them alone, and is closed with this store.
   *
   * @throws RecordStoreException if they cannot be read, or a new store not be written; the state
   *     is closed then
   * @throws IllegalArgumentException if the state is that of a volume manager; it stays open
   */
  public static LocalClaimStore on(StateStore state) {
    Objects.requireNonNull(state, "state");
    try {
      StoredClaims stored = StoredClaims.of(state.load());
      StoreIdentity identity = stored.identity().orElseGet(() -> made(state));
      // Each crash leaves a torn end, whose doubt names every key.
      if (stored.uncertainties().isEmpty() && !state.load().uncertainties().isEmpty()) {
        state.settle();
      }
      return new LocalClaimStore(state, stored, identity);
    } catch (StateException e) {
      state.close();
      throw unavailable(e);
    } catch (RecordStoreException e) {
      state.close();
      throw e;
    }
  }

  /**
   * The claims of a state.
   *
   * @param identity which store it is; nothing if it was not written yet
   * @param claims the claims that can be read
   * @param unreadable what is wrong with the others
   * @param volumes the volumes of those others whose bytes still say it
   * @param uncertainties what the state cannot vouch for
   */
  record StoredClaims(
      Optional<StoreIdentity> identity,
      Map<VolumeKey, ClaimRecord> claims,
      Map<StateKey, MalformedRecordException> unreadable,
      Map<StateKey, VolumeKey> volumes,
      List<Uncertainty> uncertainties) {

    /**
     * Reads it.
     *
     * @throws RecordStoreException if it cannot say which store it is
     * @throws IllegalArgumentException if there is something else in it
     */
    static StoredClaims of(LoadedState loaded) {
      Map<VolumeKey, ClaimRecord> claims = new TreeMap<>();
      Map<StateKey, MalformedRecordException> unreadable = new HashMap<>();
      Map<StateKey, VolumeKey> volumes = new HashMap<>();
      loaded
          .values()
          .forEach(
              (key, value) -> {
                if (key.kind() != StateKind.CLAIM) {
                  throw new IllegalArgumentException(
                      "The state holds "
                          + key
                          + ", so it is that of a volume manager. Give the state of a"
                          + " LocalClaimStore, which holds claims alone.");
                }
                if (!key.equals(IDENTITY)) {
                  try {
                    ClaimRecord record = decoded(key, value);
                    claims.put(record.claim().volume(), record);
                  } catch (MalformedRecordException e) {
                    unreadable.put(key, e);
                    // The key is a hash of the volume's name, and so proves it.
                    ClaimCodec.volume(value.bytes())
                        .filter(volume -> key(volume).equals(key))
                        .ifPresent(volume -> volumes.put(key, volume));
                  }
                }
              });
      Optional<StoreIdentity> identity = loaded.value(IDENTITY).map(StoredClaims::identity);
      boolean isEmpty = claims.isEmpty() && unreadable.isEmpty();
      List<Uncertainty> uncertainties =
          loaded.uncertainties().stream()
              .filter(doubt -> doubt.reason() != StateReason.JOURNAL_TAIL_DROPPED)
              .toList();
      if (identity.isEmpty() && !isEmpty && uncertainties.isEmpty()) {
        throw new RecordStoreException(
            Reason.UNREADABLE,
            "Opening the store of claims failed: its state has claims and does not say which store"
                + " it is. Find out who wrote it.");
      }
      return new StoredClaims(identity, claims, unreadable, volumes, uncertainties);
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

    /** The claims that cannot be read, in the order of their keys. */
    List<ClaimPage.Unreadable> told() {
      return unreadable.entrySet().stream()
          .map(
              each -> {
                Optional<VolumeKey> volume = Optional.ofNullable(volumes.get(each.getKey()));
                String what =
                    volume
                        .map(it -> "of volume '" + it + "'")
                        .orElseGet(() -> "under the key '" + each.getKey() + "'");
                return new ClaimPage.Unreadable(
                    each.getKey().toString(),
                    volume,
                    String.valueOf(
                        ClaimCodec.unreadable("the claim " + what, each.getValue()).getMessage()));
              })
          .sorted(Comparator.comparing(ClaimPage.Unreadable::key))
          .toList();
    }

    /** The highest version of a claim. */
    long highestVersion() {
      return claims.values().stream().mapToLong(each -> each.version().value()).max().orElse(0);
    }
  }

  private static StoreIdentity made(StateStore state) {
    StoreIdentity identity = new StoreIdentity("local-" + UUID.randomUUID());
    Stored stored =
        state.put(IDENTITY, StateValue.of(ClaimCodec.encode(identity)), Durability.REQUIRED);
    if (stored != Stored.DURABLE) {
      throw new RecordStoreException(
          Reason.UNAVAILABLE,
          "Opening the store of claims failed: its state keeps nothing for good. Give it another"
              + " one.");
    }
    return identity;
  }

  @Override
  public Versioned read(VolumeKey volume) {
    checkUsable();
    return there(volume)
        .map(ClaimRecord::versioned)
        .orElseGet(() -> new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty()));
  }

  private Optional<ClaimRecord> there(VolumeKey volume) {
    if (!unreadable.isEmpty()) {
      MalformedRecordException wrong = unreadable.get(key(volume));
      if (wrong != null) {
        throw ClaimCodec.unreadable("the claim of volume '" + volume + "'", wrong);
      }
    }
    return Optional.ofNullable(claims.get(volume));
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    VolumeKey volume = next.volume();
    return turns.during(
        volume,
        () -> {
          Versioned before = read(volume);
          if (!before.version().equals(expected)) {
            return new WriteResult.Conflict(before);
          }
          refuseTakingInDoubt(before, next);
          return write(next, token);
        });
  }

  /**
   * A caller who claims through a {@link io.csi4j.volume.claim.coordination.ClaimBook} has been
   * told before.
   */
  private void refuseTakingInDoubt(Versioned before, Claim next) {
    Optional<ReasonText> doubt = uncertainty(next.volume());
    if (doubt.isPresent() && next.epoch() > before.claim().epoch()) {
      throw new RecordStoreException(
          Reason.IN_DOUBT,
          "Writing a claim failed: "
              + doubt.get()
              + " Compare the claims with what is mounted, then settle it.");
    }
  }

  private WriteResult write(Claim next, WriteToken token) {
    VolumeKey volume = next.volume();
    UnknownFields unknown = there(volume).map(ClaimRecord::unknown).orElse(UnknownFields.NONE);
    // A version is used up by a try: after a failure the medium may have it, and show it one day.
    ClaimVersion version = new ClaimVersion(lastVersion.incrementAndGet());
    ClaimRecord record = new ClaimRecord(next, token, version, unknown);
    StateValue value = StateValue.of(ClaimCodec.encode(record));
    try {
      Stored stored = state.put(key(volume), value, Durability.REQUIRED);
      if (stored != Stored.DURABLE) {
        return new WriteResult.Unknown(
            new ReasonText("the state says that it is not on the medium"));
      }
    } catch (StateException e) {
      return failed(e);
    }
    claims.put(volume, record);
    feed.tell(record.versioned());
    return new WriteResult.Written(record.versioned());
  }

  /** A write that was refused may still be on the medium, unless it never got that far. */
  private WriteResult failed(StateException cause) {
    if (cause.reason() == StateReason.STATE_CLOSED) {
      throw new RecordStoreException(Reason.CLOSED, String.valueOf(cause.getMessage()), cause);
    }
    if (cause.reason() == StateReason.STATE_SEALED) {
      throw unavailable(cause);
    }
    if (cause.reason() == StateReason.STATE_TAKEN_OVER) {
      takenOver = cause;
      feed.close();
    }
    return new WriteResult.Unknown(new ReasonText(String.valueOf(cause.getMessage())));
  }

  /**
   * Claims that cannot be read are all on the first page: most do not say their place in the order.
   */
  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    checkUsable();
    ClaimPage page =
        ClaimPage.of(
            after.map(key -> claims.tailMap(key, false)).orElse(claims).values().stream()
                .limit(limit)
                .map(ClaimRecord::versioned)
                .toList(),
            limit);
    return after.isPresent() ? page : new ClaimPage(page.claims(), told, page.next());
  }

  @Override
  public ClaimWatch watch() {
    checkUsable();
    return feed.watch();
  }

  @Override
  public StoreIdentity identity() {
    return identity;
  }

  @Override
  public Optional<ReasonText> uncertainty(VolumeKey volume) {
    if (uncertainties.isEmpty()) {
      return Optional.empty();
    }
    StateKey key = key(volume);
    return uncertainties.stream()
        .filter(doubt -> doubt.hidesUnknownKeys() || doubt.keys().contains(key))
        .findFirst()
        .map(
            doubt ->
                new ReasonText(
                    "its journal is in doubt (" + doubt.reason() + "): " + doubt.text()));
  }

  /** The key of a claim in the state. */
  static StateKey key(VolumeKey volume) {
    return StateKey.claim(HashedName.of(volume.namespace().value(), volume.id()));
  }

  /**
   * Forgets what is in doubt: claims are taken again. For a person, or a program, that has compared
   * all claims with what is mounted.
   *
   * @throws RecordStoreException if the store is closed
   */
  public void settle() {
    checkUsable();
    try {
      state.settle();
    } catch (StateException e) {
      throw unavailable(e);
    }
    uncertainties = List.of();
  }

  @Override
  public void close() {
    closed = true;
    feed.close();
    state.close();
  }

  private void checkUsable() {
    if (closed) {
      throw new RecordStoreException(
          Reason.CLOSED,
          "Asking the store of claims '" + identity + "' failed: it is closed. Open it again.");
    }
    StateException other = takenOver;
    if (other != null) {
      throw unavailable(other);
    }
  }

  static RecordStoreException unavailable(StateException cause) {
    return new RecordStoreException(Reason.UNAVAILABLE, String.valueOf(cause.getMessage()), cause);
  }
}
