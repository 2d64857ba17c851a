package io.csi4j.volume.claim;

/**
 * A machine, as the host names it; not the id that a plugin gives it.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 */
public record NodeName(String value) implements Comparable<NodeName> {

  private static final int LONGEST = 1024;

  /** Refuses what cannot be a name. */
  public NodeName {
    if (value.isEmpty()
        || value.length() > LONGEST
        || value.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The name of a node is empty, longer than "
              + LONGEST
              + " characters, or has a control character. Give the name that the host uses.");
    }
  }

  /** The one with this name. */
  public static NodeName of(String value) {
    return new NodeName(value);
  }

  @Override
  public int compareTo(NodeName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
