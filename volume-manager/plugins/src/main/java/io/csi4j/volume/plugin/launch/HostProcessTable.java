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
   * @param environment all environment variables of the program
   * @param directory its working directory; if empty, the working directory of this process
   */
  record Order(List<String> command, Map<String, String> environment, Optional<Path> directory) {}

  /** A started process. */
  interface Running {

    /** Returns the process id. */
    long pid();

    /** Sends {@code SIGTERM} to the process. */
    void terminate();

    /** Sends {@code SIGKILL} to the process. Its child processes are not affected. */
    void kill();
  }

  /**
   * Starts a process.
   *
   * @param line receives each line of the output, in order, on one thread
   * @param ended receives the exit status once, after the last line
   * @throws IOException if the process cannot be started
   */
  Running start(Order order, Consumer<String> line, IntConsumer ended) throws IOException;
}
