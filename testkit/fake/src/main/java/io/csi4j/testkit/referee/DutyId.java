package io.csi4j.testkit.referee;

import java.util.Locale;

/**
 * The number of a duty.
 *
 * @param number from 1
 * @since 1.0
 */
public record DutyId(int number) implements Comparable<DutyId> {

  /** The duty with this number. */
  public static DutyId of(int number) {
    return new DutyId(number);
  }

  @Override
  public int compareTo(DutyId other) {
    return Integer.compare(number, other.number);
  }

  /** As it is written: {@code D-049}. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "D-%03d", number);
  }
}
