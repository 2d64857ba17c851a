package io.csi4j.testkit.referee;

import java.util.Locale;

/**
 * The number of a duty.
 *
 * @param number the number, counted from 1
 * @since 1.0
 */
public record DutyId(int number) implements Comparable<DutyId> {

  /** Returns the duty id with this number. */
  public static DutyId of(int number) {
    return new DutyId(number);
  }

  @Override
  public int compareTo(DutyId other) {
    return Integer.compare(number, other.number);
  }

  /** Returns the id in its written form, such as {@code D-049}. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "D-%03d", number);
  }
}
