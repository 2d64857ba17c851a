package io.csi4j.benchmarks.calls;

import java.util.Locale;

/**
 * One measurement, which consists of several windows.
 *
 * @param way the client that makes the calls
 * @param style how a caller waits for a call
 * @param operation the operation that is called
 * @param inFlight the number of concurrent calls
 */
record Cell(Way way, Style style, Operation operation, int inFlight) {

  /** The clients that make calls. */
  enum Way {
    /** {@code CsiPlugin} with default options. */
    OURS,
    /** The bare generated stub on the channel of {@link #OURS}. */
    BARE,
    /** {@code CsiPlugin} with callbacks that run in place, on the I/O thread. */
    OURS_IN_PLACE,
    /** The bare generated stub on the channel of {@link #OURS_IN_PLACE}. */
    BARE_IN_PLACE,
    /** A second stub like {@link #BARE}, on the same channel. */
    BARE_AGAIN,
    /** A second stub like {@link #BARE_IN_PLACE}, on the same channel. */
    BARE_IN_PLACE_AGAIN,
    /**
     * Like {@link #OURS_IN_PLACE}, with the wire log allowed by the options, which is the default,
     * and its logger off.
     */
    OURS_LOG_OFF,
    /** Like {@link #OURS_IN_PLACE}, with the wire log disabled by an option. */
    OURS_WITHOUT_LOG,
    /** Like {@link #OURS_IN_PLACE}, with a listener that does nothing. */
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
    /** The length of the window divided by the number of calls, in nanoseconds. */
    TIME,
    /** The median duration of a call, in nanoseconds. */
    MEDIAN,
    /** Bytes that all threads of the JVM allocated, divided by the number of calls. */
    BYTES
  }

  /** Returns the name under which the windows of the cell are stored. */
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

  /** Returns the same cell with another client. */
  Cell by(Way other) {
    return new Cell(other, style, operation, inFlight);
  }
}
