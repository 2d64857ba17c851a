package io.csi4j.client.model;

import java.util.OptionalInt;
import java.util.StringJoiner;

/**
 * The process that listens on a socket, as the kernel reports it. A value that the platform does
 * not provide is absent. For example, the sockets of the JDK do not report the process id.
 *
 * @param pid the listening process
 * @param uid the user of the process
 * @since 1.0
 */
public record PeerCredentials(OptionalInt pid, OptionalInt uid) {

  /** Returns credentials without any value. */
  public static PeerCredentials unknown() {
    return new PeerCredentials(OptionalInt.empty(), OptionalInt.empty());
  }

  /** Returns a text such as {@code pid 4711, uid 0}; absent values are left out. */
  @Override
  public String toString() {
    StringJoiner out = new StringJoiner(", ");
    out.setEmptyValue("unknown");
    pid.ifPresent(value -> out.add("pid " + value));
    uid.ifPresent(value -> out.add("uid " + value));
    return out.toString();
  }
}
