package io.csi4j.client;

import java.util.OptionalInt;

/**
 * Who listens on a socket, as the kernel tells it. What the platform does not give is absent.
 *
 * @param pid the process that listens
 * @param uid the user it runs as
 */
public record PeerCredentials(OptionalInt pid, OptionalInt uid) {

  /** Nothing known. */
  public static PeerCredentials unknown() {
    return new PeerCredentials(OptionalInt.empty(), OptionalInt.empty());
  }
}
