package io.csi4j.volume.claim.coordination;

import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The memory of a book: how far each claim of its store was, and the newest claims themselves. */
final class ClaimMemory {

  /** The number of claims that are kept; beyond that it begins again. */
  private static final int MOST = 4096;

  private final ConcurrentMap<VolumeKey, ClaimVersion> versions = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeKey, Versioned> claims = new ConcurrentHashMap<>();

  /** The highest version that was seen of a claim. */
  ClaimVersion highest(VolumeKey volume) {
    return versions.getOrDefault(volume, ClaimVersion.NEVER);
  }

  /** The claim as it was seen last, if it is still known; by now it may be another one. */
  Optional<Versioned> last(VolumeKey volume) {
    return Optional.ofNullable(claims.get(volume));
  }

  void saw(Versioned now) {
    VolumeKey volume = now.claim().volume();
    versions.merge(volume, now.version(), (a, b) -> a.compareTo(b) >= 0 ? a : b);
    if (claims.size() >= MOST && !claims.containsKey(volume)) {
      claims.clear();
    }
    claims.merge(volume, now, (a, b) -> a.version().compareTo(b.version()) >= 0 ? a : b);
  }

  /** Forgets a claim that is not what it was. */
  void forget(Versioned stale) {
    claims.remove(stale.claim().volume(), stale);
  }
}
