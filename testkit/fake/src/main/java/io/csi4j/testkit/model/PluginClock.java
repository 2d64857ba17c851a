package io.csi4j.testkit.model;

import java.time.Duration;
import java.time.Instant;

/**
 * The clock of a plugin: the source of the journal's times, and of the plugin's delays.
 *
 * @since 1.0
 */
public interface PluginClock {

  /** Returns the current time. */
  Instant now();

  /** Runs {@code work} once, {@code delay} from now, on a thread that the clock chooses. */
  void after(Duration delay, Runnable work);
}
