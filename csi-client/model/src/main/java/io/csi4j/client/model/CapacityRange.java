package io.csi4j.client.model;

import java.util.OptionalLong;

/**
 * How large a volume has to be, in bytes.
 *
 * @param requiredBytes the least size, or nothing
 * @param limitBytes the greatest size, or nothing
 * @since 1.0
 */
public record CapacityRange(OptionalLong requiredBytes, OptionalLong limitBytes) {

  /** Refuses a range that is empty, negative or upside down. */
  public CapacityRange {
    if (requiredBytes.isEmpty() && limitBytes.isEmpty()) {
      throw new IllegalArgumentException(
          "A capacity range needs a least size, a greatest size, or both.");
    }
    if (requiredBytes.orElse(1) <= 0 || limitBytes.orElse(1) <= 0) {
      throw new IllegalArgumentException(
          "The sizes of a capacity range are positive: " + text(requiredBytes, limitBytes) + ".");
    }
    if (requiredBytes.orElse(0) > limitBytes.orElse(Long.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "The least size of a capacity range is above its greatest: "
              + text(requiredBytes, limitBytes)
              + ".");
    }
  }

  /** This many bytes or more. */
  public static CapacityRange atLeast(long bytes) {
    return new CapacityRange(OptionalLong.of(bytes), OptionalLong.empty());
  }

  /** This many bytes or fewer. */
  public static CapacityRange atMost(long bytes) {
    return new CapacityRange(OptionalLong.empty(), OptionalLong.of(bytes));
  }

  /** Between these two, both included. */
  public static CapacityRange between(long required, long limit) {
    return new CapacityRange(OptionalLong.of(required), OptionalLong.of(limit));
  }

  /** This many bytes exactly. */
  public static CapacityRange exactly(long bytes) {
    return between(bytes, bytes);
  }

  /** Whether a volume of {@code bytes} fits. */
  public boolean contains(long bytes) {
    return bytes >= requiredBytes.orElse(0) && bytes <= limitBytes.orElse(Long.MAX_VALUE);
  }

  @Override
  public String toString() {
    return text(requiredBytes, limitBytes);
  }

  private static String text(OptionalLong required, OptionalLong limit) {
    if (required.isPresent() && required.equals(limit)) {
      return required.getAsLong() + " bytes";
    }
    StringBuilder out = new StringBuilder();
    required.ifPresent(bytes -> out.append("at least ").append(bytes));
    limit.ifPresent(
        bytes -> out.append(out.isEmpty() ? "" : ", ").append("at most ").append(bytes));
    return out.append(" bytes").toString();
  }
}
