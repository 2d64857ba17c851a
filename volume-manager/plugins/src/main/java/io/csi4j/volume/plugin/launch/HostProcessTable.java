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
   * A command to start a program.
   *
   * @param command the program and its arguments
   * @param environment all its environment variables
   * @param directory its working directory, if not that of this process
   */
  record Order(List<String> command, Map<String, String> environment, Optional<Path> directory) {}

  /** A started process. */
  interface Running {

    /** Returns its number. */
    long pid();

    /** Sends it {@code SIGTERM}. */
    void terminate();

    /** Sends it {@code SIGKILL}. Its child processes are not affected. */
    void kill();
  }

  /**
   * Starts a process.
   *
   * @param line receives each line of its output, in order, on one thread
   * @param ended receives its exit status once, after the last line
   * @throws IOException if it cannot be started
   */
  Running start(Order order, Consumer<String> line, IntConsumer ended) throws IOException;
}
