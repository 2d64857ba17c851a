package io.csi4j.testkit.cli;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Connects commands to plugins. The user may name any plugin, so the safety checks of a host are
 * disabled.
 */
final class Reaching {

  private static final Duration MOMENT = Duration.ofSeconds(1);

  private Reaching() {}

  static ConnectOptions within(Duration deadline) {
    return ConnectOptions.builder()
        .deadline(deadline)
        .requireReady(false)
        .allowSymlink(true)
        .allowUnsafeDirectory(true)
        .build();
  }

  /** Returns options that limit each call, including its retries, to the deadline. */
  static ConnectOptions withinEach(Duration deadline) {
    return within(deadline).toBuilder()
        .policies(policy -> policy.attemptDeadline(deadline).budget(deadline))
        .build();
  }

  /** Returns whether a process listens on a socket now. */
  static boolean listens(CsiEndpoint where) {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return socket.connect(UnixDomainSocketAddress.of(where.path()));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns whether a process still listens on a socket after a short wait. The wait gives an
   * exiting process time to close its socket.
   */
  static boolean stillListens(CsiEndpoint where) {
    long end = System.nanoTime() + MOMENT.toNanos();
    boolean listens = listens(where);
    while (listens && end - System.nanoTime() > 0) {
      LockSupport.parkNanos(MOMENT.dividedBy(20).toNanos());
      listens = listens(where);
    }
    return listens;
  }

  /** Prints that the command waits for a socket, so that a wrong path does not look like a hang. */
  static void announce(Console console, CsiEndpoint where, Duration deadline) {
    if (Files.notExists(where.path()) || Files.isRegularFile(where.path())) {
      console.note(
          "There is no socket at %s. Waiting up to %s s for a plugin to create one."
              .formatted(where, deadline.toMillis() / 1000.0));
    }
  }
}
