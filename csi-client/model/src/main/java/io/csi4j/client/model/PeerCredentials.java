package io.csi4j.client.model;

import java.util.OptionalInt;
import java.util.StringJoiner;

/**
 * The listener on a socket, as the kernel tells it. What the platform does not give is absent: the
 * sockets of the JDK tell no process.
 *
 * @param pid the process that listens
 * @param uid the user it runs as
 * @since 1.0
 */
public record PeerCredentials(OptionalInt pid, OptionalInt uid) {

  /** Nothing known. */
  public static PeerCredentials unknown() {
    return new PeerCredentials(OptionalInt.empty(), OptionalInt.empty());
  }

  /** As in {@code pid 4711, uid 0}; what is absent is left out. */
  @Override
  public String toString() {
    StringJoiner out = new StringJoiner(", ");
    out.setEmptyValue("unknown");
    pid.ifPresent(value -> out.add("pid " + value));
    uid.ifPresent(value -> out.add("uid " + value));
    return out.toString();
  }
}
