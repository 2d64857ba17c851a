package io.csi4j.client.model;

import java.util.List;

/**
 * The mount flags of a volume, such as {@code noatime}.
 *
 * <p>Mount flags may contain passwords ({@code password=…}), so {@code toString} never shows them.
 *
 * @since 1.0
 */
public final class MountFlags {

  private static final MountFlags NONE = new MountFlags(List.of());

  private final List<String> flags;

  private MountFlags(List<String> flags) {
    this.flags = List.copyOf(flags);
  }

  /** Returns a copy of these flags, in this order. */
  public static MountFlags of(List<String> flags) {
    return flags.isEmpty() ? NONE : new MountFlags(flags);
  }

  /** Returns these flags, in this order. */
  public static MountFlags of(String... flags) {
    return of(List.of(flags));
  }

  /**
   * Returns the flags in clear text, unmodifiable. The caller is responsible for protecting them.
   */
  public List<String> reveal() {
    return flags;
  }

  /** The number of flags. */
  public int size() {
    return flags.size();
  }

  /** Whether there are no flags. */
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

  /** Returns the number of flags; never the flags themselves. */
  @Override
  public String toString() {
    return flags.isEmpty() ? "[]" : "[" + flags.size() + " redacted]";
  }
}
