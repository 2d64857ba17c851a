package io.csi4j.volume.plugin;

/**
 * The name under which a host knows one running instance of a plugin: of the task or container that
 * it runs in, another one with each start.
 *
 * @param value the name; not empty, at most 1024 characters, without control characters
 * @since 1.0
 */
public record InstanceId(String value) implements Comparable<InstanceId> {

  /** For a host that has one instance of each plugin and gives it no name. */
  public static final InstanceId ONLY = new InstanceId("only");

  private static final int LONGEST = 1024;

  /** Refuses what cannot be a name. */
  public InstanceId {
    if (value.isEmpty()
        || value.length() > LONGEST
        || value.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "The instance id of a plugin is empty, longer than "
              + LONGEST
              + " characters, or has a control character. Give the name that the host uses.");
    }
  }

  /** The one with this name. */
  public static InstanceId of(String value) {
    return new InstanceId(value);
  }

  @Override
  public int compareTo(InstanceId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
