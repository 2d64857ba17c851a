package io.csi4j.testkit.cli;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import java.nio.file.Files;
import java.time.Duration;

/**
 * The connections of the commands: to anything a person names, so without the caution of a host.
 */
final class Reaching {

  private Reaching() {}

  static ConnectOptions within(Duration deadline) {
    return ConnectOptions.builder()
        .deadline(deadline)
        .requireReady(false)
        .allowSymlink(true)
        .allowUnsafeDirectory(true)
        .build();
  }

  /** Returns options under which no question may take longer. */
  static ConnectOptions withinEach(Duration deadline) {
    return within(deadline).toBuilder()
        .policies(policy -> policy.attemptDeadline(deadline).budget(deadline))
        .build();
  }

  /** Says what is waited for where a person would otherwise wait for a wrong path in silence. */
  static void announce(Console console, CsiEndpoint where, Duration deadline) {
    if (Files.notExists(where.path()) || Files.isRegularFile(where.path())) {
      console
          .err()
          .println(
              "There is no socket at "
                  + where
                  + ". Waiting up to "
                  + deadline.toMillis() / 1000.0
                  + " s for a plugin to make one.");
      console.err().flush();
    }
  }
}
