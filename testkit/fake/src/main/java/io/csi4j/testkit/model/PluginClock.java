package io.csi4j.testkit.model;

import java.time.Duration;
import java.time.Instant;

/**
 * The time of a plugin: what it writes into its journal, and what its delays wait on.
 *
 * @since 1.0
 */
public interface PluginClock {

  /** Now. */
  Instant now();

  /** Runs {@code work} once, {@code delay} from now, on a thread of the clock's choice. */
  void after(Duration delay, Runnable work);
}
