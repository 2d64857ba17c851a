package io.csi4j.volume.state;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Which host, which of its boots and which of its mount namespaces something happened in. What was
 * mounted is certain only while all three are the same. The kernel gives the inode of an ended
 * namespace to the next one, so that an equal one proves nothing.
 *
 * @param host the host
 * @param boot the boot
 * @param mountNamespace the inode of the mount namespace; 0 when it is not known
 */
public record HostIdentity(HostId host, BootId boot, long mountNamespace) {

  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{0,64}");

  /**
   * The name of a host.
   *
   * @param value at most 64 of the characters {@code A-Z a-z 0-9 . _ -}; empty when not known
   */
  public record HostId(String value) {

    /** Checks the characters. */
    public HostId {
      check(value);
    }

    /** The value. */
    @Override
    public String toString() {
      return value;
    }
  }

  /**
   * The name of one boot of a host.
   *
   * @param value at most 64 of the characters {@code A-Z a-z 0-9 . _ -}; empty when not known
   */
  public record BootId(String value) {

    /** Checks the characters. */
    public BootId {
      check(value);
    }

    /** The value. */
    @Override
    public String toString() {
      return value;
    }
  }

  /** Checks that all parts are there. */
  public HostIdentity {
    Objects.requireNonNull(host, "host");
    Objects.requireNonNull(boot, "boot");
  }

  /**
   * Where this process runs. The host is named by a hash of its machine id, which is not to be
   * shown as it is. What cannot be read is not known.
   */
  public static HostIdentity current() {
    return ThisHost.identity();
  }

  /** Whether both are known to be of different hosts. */
  public boolean isOtherHostThan(HostIdentity other) {
    return !host.value().isEmpty()
        && !other.host.value().isEmpty()
        && !host.value().equals(other.host.value());
  }

  private static void check(String value) {
    if (!WORD.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "The name of a host or boot has at most 64 of the characters A-Z a-z 0-9 . _ -. Use a"
              + " hash of it.");
    }
  }
}
