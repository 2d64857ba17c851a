package io.csi4j.client.model;

import java.util.List;

/**
 * The mount flags of a volume, such as {@code noatime}.
 *
 * <p>They may hold passwords ({@code password=…}), so they are never printed.
 *
 * @since 1.0
 */
public final class MountFlags {

  private static final MountFlags NONE = new MountFlags(List.of());

  private final List<String> flags;

  private MountFlags(List<String> flags) {
    this.flags = List.copyOf(flags);
  }

  /** A copy of these flags, in this order. */
  public static MountFlags of(List<String> flags) {
    return flags.isEmpty() ? NONE : new MountFlags(flags);
  }

  /** These flags, in this order. */
  public static MountFlags of(String... flags) {
    return of(List.of(flags));
  }

  /** Returns the flags in clear, unmodifiable. The caller answers for where they go. */
  public List<String> reveal() {
    return flags;
  }

  /** How many there are. */
  public int size() {
    return flags.size();
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return flags.isEmpty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MountFlags that && flags.equals(that.flags);
  }

  @Override
  public int hashCode() {
    return flags.size();
  }

  /** Says how many flags there are; never what they are. */
  @Override
  public String toString() {
    return flags.isEmpty() ? "[]" : "[" + flags.size() + " redacted]";
  }
}
