package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.conformance.model.PluginUnderTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A plugin that the suite starts in a process, with the last lines of its output. */
final class StartedPlugin implements AutoCloseable {

  private static final int LINES = 20;
  private static final int LINE = 300;
  private static final Duration TO_END = Duration.ofSeconds(5);

  private final List<String> command;
  private final CsiEndpoint endpoint;
  private final CsiEndpoint reachedAt;
  private final Duration patience;
  private final UnaryOperator<String> scrubber;
  private final Duration toEnd;
  private final Deque<String> lines = new ArrayDeque<>();
  private @Nullable Process process;
  private @Nullable Thread reader;

  StartedPlugin(PluginUnderTest plugin, UnaryOperator<String> scrubber) {
    this(plugin, scrubber, TO_END);
  }

  /**
   * Creates a plugin that is not started yet.
   *
   * @param scrubber removes secrets from the lines of the plugin's output
   * @param toEnd the time between SIGTERM and SIGKILL
   */
  StartedPlugin(PluginUnderTest plugin, UnaryOperator<String> scrubber, Duration toEnd) {
    this.toEnd = toEnd;
    this.command = plugin.command();
    this.endpoint = plugin.startsAt();
    this.reachedAt = plugin.controller();
    this.patience = plugin.deadline();
    this.scrubber = scrubber;
  }

  /**
   * Starts the plugin, unless a process already listens on its socket, and waits until the plugin
   * is reachable.
   */
  void start() {
    if (!listens()) {
      begin();
      Pause pause = new Pause(patience);
      while (!listens() && isAlive() && pause.again()) {
        // The plugin does not listen yet.
      }
      while (!RawPlugin.listens(reachedAt) && isAlive() && pause.again()) {
        // A proxy in front of the plugin does not listen yet.
      }
    }
  }

  void restart() {
    close();
    start();
  }

  private void begin() {
    synchronized (lines) {
      lines.clear();
    }
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("CSI_ENDPOINT", endpoint.toString());
      Process begun = builder.start();
      begun.getOutputStream().close();
      process = begun;
      Thread reading = new Thread(() -> read(begun), "csi4j-conformance-output");
      reading.setDaemon(true);
      reading.start();
      reader = reading;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The plugin could not be started: " + SafeText.escape(String.valueOf(e.getMessage())), e);
    }
  }

  private void read(Process from) {
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        synchronized (lines) {
          lines.addLast(line);
          if (lines.size() > LINES) {
            lines.removeFirst();
          }
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  boolean isAlive() {
    Process begun = process;
    return begun != null && begun.isAlive();
  }

  /** Returns whether the plugin itself listens. A proxy in front of the plugin does not count. */
  boolean listens() {
    return RawPlugin.listens(endpoint);
  }

  /** Returns whether the process has ended, or ends within a short wait. */
  boolean hasEnded() {
    Process begun = process;
    if (begun == null) {
      return RawPlugin.isGone(endpoint);
    }
    try {
      boolean ended = begun.waitFor(RawPlugin.MOMENTS.toMillis(), TimeUnit.MILLISECONDS);
      Thread reading = reader;
      if (ended && reading != null) {
        reading.join(RawPlugin.MOMENTS.toMillis());
      }
      return ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Checks that the command did not fail before the plugin listened. A command that ended
   * successfully may have left the plugin in the background.
   *
   * @throws UncheckedIOException if the command failed; the message contains the end of its output
   */
  void checkNotFailed() {
    Process begun = process;
    if (begun != null && !begun.isAlive() && !listens() && hasEnded() && begun.exitValue() != 0) {
      String text =
          "Starting the plugin failed: nothing listens on %s. Check its command%s"
              .formatted(endpoint, lastWords());
      throw new UncheckedIOException(text, new IOException(text));
    }
  }

  /**
   * Returns the exit code of the process and the last lines of its output, as text; empty if there
   * is neither.
   */
  String lastWords() {
    Process begun = process;
    StringBuilder out = new StringBuilder();
    if (begun != null && !begun.isAlive() && hasEnded()) {
      out.append(". It ended with code ").append(begun.exitValue());
    }
    List<String> last;
    synchronized (lines) {
      last = List.copyOf(lines);
    }
    if (!last.isEmpty()) {
      out.append(". Its last lines:");
      last.forEach(
          line ->
              out.append("\n            | ").append(SafeText.escape(scrubber.apply(line), LINE)));
    }
    return out.toString();
  }

  /** Ends the process and its descendants, if this object started them. */
  @Override
  public void close() {
    Process begun = process;
    if (begun == null) {
      return;
    }
    List<ProcessHandle> all =
        Stream.concat(begun.descendants(), Stream.of(begun.toHandle())).toList();
    all.forEach(ProcessHandle::destroy);
    Pause pause = new Pause(toEnd);
    while (all.stream().anyMatch(StartedPlugin::isRunning) && pause.again()) {
      // All processes are checked, because a shell may end before the plugin that it started.
    }
    all.forEach(ProcessHandle::destroyForcibly);
    process = null;
  }

  /**
   * Returns whether the process is running. An orphaned process that has ended may stay in the
   * process table forever, but it has no command any more.
   */
  private static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }
}
