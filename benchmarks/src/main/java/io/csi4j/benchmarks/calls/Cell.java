package io.csi4j.benchmarks.calls;

import java.util.Locale;

/**
 * One thing that is measured, window by window.
 *
 * @param way who makes the calls
 * @param style how
 * @param operation which
 * @param inFlight how many at a time
 */
record Cell(Way way, Style style, Operation operation, int inFlight) {

  /** The caller. */
  enum Way {
    /** {@code CsiPlugin} with default options. */
    OURS,
    /** The bare generated stub on the channel of {@link #OURS}. */
    BARE,
    /** {@code CsiPlugin} with an executor that runs callbacks in place, on the I/O thread. */
    OURS_IN_PLACE,
    /** The bare generated stub on the channel of {@link #OURS_IN_PLACE}. */
    BARE_IN_PLACE,
    /** Another stub like {@link #BARE}, on the same channel. */
    BARE_AGAIN,
    /** Another stub like {@link #BARE_IN_PLACE}, on the same channel. */
    BARE_IN_PLACE_AGAIN,
    /** As {@link #OURS_IN_PLACE}, with the wire log allowed, as it is, and its logger off. */
    OURS_LOG_OFF,
    /** As {@link #OURS_IN_PLACE}, with the wire log forbidden by an option. */
    OURS_WITHOUT_LOG,
    /** As {@link #OURS_IN_PLACE}, with a listener that does nothing. */
    OURS_LISTENED,
    /** A program in Go. */
    GO
  }

  /** How a caller waits for a call. */
  enum Style {
    /** One thread for each call in flight. */
    BLOCKING,
    /** Each answer begins the next call. */
    ASYNC
  }

  /** The figures of a window. */
  enum Measure {
    /** Nanoseconds for one call, all of them together. */
    TIME,
    /** Nanoseconds that half of the calls took at the most. */
    MEDIAN,
    /** Bytes allocated by all threads of the JVM for one call. */
    BYTES
  }

  /** The name of its windows. */
  String key(Measure measure) {
    return String.join(
            " ",
            way.name(),
            style.name(),
            operation.name(),
            Integer.toString(inFlight),
            measure.name())
        .toLowerCase(Locale.ROOT);
  }

  /** Returns the same cell with another caller. */
  Cell by(Way other) {
    return new Cell(other, style, operation, inFlight);
  }
}
