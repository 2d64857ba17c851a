package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.ConnectOptions;
import java.time.Duration;

/**
 * How a directory is watched.
 *
 * @param options how to connect to registrars
 * @param limit how long connecting and each call may take
 * @param interval the longest time between two looks
 * @param grace how long a socket may be gone
 */
record WatchSettings(ConnectOptions options, Duration limit, Duration interval, Duration grace) {

  /** No announcement is as long as this. */
  private static final int LARGEST_ANSWER = 64 << 10;

  /** The options with which registrars are connected. */
  ConnectOptions connecting() {
    return options.toBuilder().deadline(limit).maxMessageBytes(LARGEST_ANSWER).build();
  }
}
