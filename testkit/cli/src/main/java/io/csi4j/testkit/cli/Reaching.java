package io.csi4j.testkit.cli;

import io.csi4j.client.model.ConnectOptions;
import java.time.Duration;

/** How the commands connect: to whatever a person names, so without the caution of a host. */
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
}
