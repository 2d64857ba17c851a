package io.csi4j.volume.plugin.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Starts processes on this host. */
interface HostProcessTable {

  /**
   * The order to start a program.
   *
   * @param command the program and its arguments
   * @param environment its variables, all of them
   * @param directory where it works, if not where this process does
   */
  record Order(List<String> command, Map<String, String> environment, Optional<Path> directory) {}

  /** A process that was started. */
  interface Running {

    /** Its number. */
    long pid();

    /** Asks it to end ({@code SIGTERM}). */
    void terminate();

    /** Ends it ({@code SIGKILL}). None of the processes that it has started is touched. */
    void kill();
  }

  /**
   * Starts a process.
   *
   * @param line given each line that it writes, in order, on one thread
   * @param ended given its status once, after the last line
   * @throws IOException if it cannot be started
   */
  Running start(Order order, Consumer<String> line, IntConsumer ended) throws IOException;
}
