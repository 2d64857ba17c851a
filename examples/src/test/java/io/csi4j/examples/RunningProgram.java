package io.csi4j.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A program in a separate process, whose lines are read and written one by one. */
final class RunningProgram implements AutoCloseable {

  private final Process process;
  private final BufferedReader said;
  private final PrintStream orders;

  /** Wraps a process that was just started. */
  RunningProgram(Process started) {
    process = started;
    said = process.inputReader(StandardCharsets.UTF_8);
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /** Returns the next line; the text {@code null} at the end of the output. */
  String line() throws IOException {
    return String.valueOf(said.readLine());
  }

  /** Returns the next line with this beginning, and drops the lines before it. */
  String lineThatBegins(String beginning) throws IOException {
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith(beginning)) {
        return line;
      }
    }
    throw new AssertionError("The program ended without a line that begins '" + beginning + "'.");
  }

  /** Writes a line to its input. */
  void order(String order) {
    orders.println(order);
  }

  /** Sends {@code SIGTERM} and leaves the streams open, so that the program can end in order. */
  void terminate() {
    process.toHandle().destroy();
  }

  /** Returns its exit status once it has ended. */
  int status() throws InterruptedException {
    return process.waitFor();
  }

  /** Ends its input, and waits for its status. */
  int end() throws InterruptedException {
    orders.close();
    return status();
  }

  /** As {@code kill -9} does, to it and to those that it has started. */
  void kill() {
    process.descendants().toList().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
