package io.csi4j.volume.claim.spi;

/**
 * Which write of a claim it is. A store gives a higher one to each write of a key, and none twice.
 *
 * @param value the number; 0 for what was never written
 * @since 1.0
 */
public record ClaimVersion(long value) implements Comparable<ClaimVersion> {

  /** Of what was never written. */
  public static final ClaimVersion NEVER = new ClaimVersion(0);

  /** Refuses a negative number. */
  public ClaimVersion {
    if (value < 0) {
      throw new IllegalArgumentException("A version is not negative, as " + value + " is.");
    }
  }

  @Override
  public int compareTo(ClaimVersion other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
