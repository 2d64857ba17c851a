package io.csi4j.client.model;

import java.util.OptionalLong;

/**
 * The required size of a volume, in bytes.
 *
 * @param requiredBytes the minimum size, if there is one
 * @param limitBytes the maximum size, if there is one
 * @since 1.0
 */
public record CapacityRange(OptionalLong requiredBytes, OptionalLong limitBytes) {

  /** Refuses a range that is empty or negative, or whose minimum is above its maximum. */
  public CapacityRange {
    if (requiredBytes.isEmpty() && limitBytes.isEmpty()) {
      throw new IllegalArgumentException(
          "A capacity range needs a minimum size, a maximum size, or both.");
    }
    if (requiredBytes.orElse(1) <= 0 || limitBytes.orElse(1) <= 0) {
      throw new IllegalArgumentException(
          "The sizes of a capacity range must be positive: "
              + text(requiredBytes, limitBytes)
              + ".");
    }
    if (requiredBytes.orElse(0) > limitBytes.orElse(Long.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "The minimum size of a capacity range is above its maximum: "
              + text(requiredBytes, limitBytes)
              + ".");
    }
  }

  /** Returns the range of this many bytes or more. */
  public static CapacityRange atLeast(long bytes) {
    return new CapacityRange(OptionalLong.of(bytes), OptionalLong.empty());
  }

  /** Returns the range of this many bytes or fewer. */
  public static CapacityRange atMost(long bytes) {
    return new CapacityRange(OptionalLong.empty(), OptionalLong.of(bytes));
  }

  /** Returns the range between two sizes, including both sizes. */
  public static CapacityRange between(long required, long limit) {
    return new CapacityRange(OptionalLong.of(required), OptionalLong.of(limit));
  }

  /** Returns the range of exactly this many bytes. */
  public static CapacityRange exactly(long bytes) {
    return between(bytes, bytes);
  }

  /** Returns whether {@code bytes} is within the range. */
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
