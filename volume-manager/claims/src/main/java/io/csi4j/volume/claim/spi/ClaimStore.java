package io.csi4j.volume.claim.spi;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import java.util.Optional;

/**
 * Where claims live. What every store promises:
 *
 * <ul>
 *   <li>Reads and writes of one key are linearizable: what was written is seen by everybody at
 *       once.
 *   <li>A version is never given twice to a key, and each is higher than the one before. Nothing is
 *       ever deleted: a claim without a holder is written as such.
 *   <li>A write whose end is not known is said to be {@link WriteResult.Unknown}, never a failure.
 *   <li>A watch tells when it has missed something.
 *   <li>The identity changes when the store is another one.
 *   <li>A store that may have lost claims says so, and takes none before a person has looked.
 *   <li>A claim that cannot be read is neither overwritten nor left out: {@link #read} refuses it,
 *       and {@link #scan} tells of it and goes on.
 * </ul>
 *
 * <p>Leases and clocks have no part in any of this. Methods may block, and throw {@link
 * RecordStoreException} when the store cannot be asked. Safe for many threads. An interrupt does
 * the store no harm, and stays set. {@code ClaimStoreChecks} shows whether a store keeps its
 * promises.
 *
 * @since 1.0
 */
public interface ClaimStore extends AutoCloseable {

  /** The claim of a volume as it is now; {@link Claim#none} where it was never written. */
  Versioned read(VolumeKey volume);

  /**
   * Writes a claim if the version that is there is the expected one.
   *
   * @param expected what was read
   * @param next the claim
   * @param token the mark of this try
   */
  WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token);

  /**
   * Writes a claim if what is there is the very write that was seen, however long ago: that version
   * by that mark. A store that was put back counts versions from the beginning and may give a
   * version to another write, but never a mark; so this is as safe as to look first and then to
   * expect the version.
   *
   * <p>Which is what it does, unless a store can compare both in one step: then it saves the look.
   *
   * @param seen what was read, or was written
   * @param next the claim
   * @param token the mark of this try
   */
  default WriteResult replace(Versioned seen, Claim next, WriteToken token) {
    Versioned there = read(next.volume());
    return there.version().equals(seen.version()) && there.by().equals(seen.by())
        ? compareAndSet(there.version(), next, token)
        : new WriteResult.Conflict(there);
  }

  /**
   * Returns the claims that were ever written, in the order of their keys. Each is right for
   * itself; together they are no picture of one moment.
   *
   * <p>A claim that cannot be read is no reason to refuse: the page tells of it and has the others.
   * From the first page to the last each such claim is told once.
   *
   * @param after only those behind this key
   * @param limit how many claims at most, at least 1. A page may have fewer, and claims that cannot
   *     be read may come in addition; only {@link ClaimPage#next} says whether there are more
   * @throws RecordStoreException if the store cannot be asked at all
   */
  ClaimPage scan(Optional<VolumeKey> after, int limit);

  /** Follows what is written from now on. */
  ClaimWatch watch();

  /** Which store it is. */
  StoreIdentity identity();

  /**
   * Why nothing may be claimed of a volume: the store may have lost what was claimed of it. What it
   * shows can be given back. Nothing while all is well.
   */
  default Optional<ReasonText> uncertainty(VolumeKey volume) {
    return Optional.empty();
  }

  /**
   * Returns why the store takes no write at all, not even a release: it has claims, and nothing
   * shows that none of them was lost. Claims may be read, and a person has to settle the store.
   * Nothing while writes are taken; a store that is asked again may have been settled by another
   * process.
   */
  default Optional<ReasonText> readOnly() {
    return Optional.empty();
  }

  /** Ends its use here. Forgets nothing; doing it twice is harmless. */
  @Override
  void close();
}
