package io.csi4j.mount.model;

/**
 * An error of a system call.
 *
 * @param number the number, as Linux has it on all its common architectures
 */
public record Errno(int number) {

  /** The name, such as {@code EBUSY}; {@code errno 999} for a number without one. */
  public String name() {
    return ErrnoNames.of(number);
  }

  /** The name and the number. */
  @Override
  public String toString() {
    return name() + " (" + number + ")";
  }
}
