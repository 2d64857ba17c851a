package io.csi4j.examples;

import io.csi4j.examples.cluster.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** Runs a {@link Host} in a separate process: starts the host, sends orders to it, and kills it. */
final class HostProcess implements AutoCloseable {

  private static final String OK = "ok ";

  private final String name;
  private final Process process;
  private final Patience patience;
  private final PrintStream orders;
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentMap<String, CompletableFuture<String>> open = new ConcurrentHashMap<>();
  private final CompletableFuture<String> ready = new CompletableFuture<>();

  private HostProcess(String name, Process process, Patience patience) {
    this.name = name;
    this.patience = patience;
    this.process = process;
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
    Thread reader = new Thread(() -> read(said), "answers-of-" + name);
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a host with the JVM and the class path of this process. The host ends at the latest when
   * this process ends, because its input is then closed.
   *
   * @param program {@link Host}, or another program that takes orders in the same format
   * @param name the name of the host in the output
   * @param log the file for the host's error output
   * @param environment variables for the host, in addition to the variables of this process
   * @param arguments the arguments of the program
   */
  static HostProcess start(
      Class<?> program,
      String name,
      Path log,
      Patience patience,
      Map<String, String> environment,
      List<String> arguments) {
    List<String> command = new ArrayList<>(MortalPlugin.command(program, arguments.toArray()));
    command.addAll(1, List.of("-XX:+UseSerialGC", "-Xmx128m"));
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
      builder.environment().putAll(environment);
      return new HostProcess(name, builder.start(), patience);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private void read(BufferedReader said) {
    try {
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        String[] tagged = line.split(" ", 2);
        CompletableFuture<String> asked = tagged.length == 2 ? open.remove(tagged[0]) : ready;
        if (asked != null) {
          asked.complete(tagged[tagged.length - 1]);
        }
      }
    } catch (IOException killed) {
      // The process was killed, so it sends no more answers.
    }
    failAll();
  }

  /** Fails all answers that have not arrived yet. */
  private void failAll() {
    IllegalStateException ended =
        new IllegalStateException(name + " has ended before it answered. See its log.");
    ready.completeExceptionally(ended);
    open.values().forEach(each -> each.completeExceptionally(ended));
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  /** Whether the host takes orders. */
  boolean isReady() {
    return ready.isDone() && !ready.isCompletedExceptionally();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Sends an order to the host, such as {@code start notes web-1}.
   *
   * @return the answer: {@code ok} with a result, or the line of a failure
   */
  CompletableFuture<String> order(String order) {
    String tag = Long.toString(last.incrementAndGet());
    CompletableFuture<String> answer = new CompletableFuture<>();
    open.put(tag, answer);
    orders.println(tag + " " + order);
    if (!process.isAlive()) {
      failAll();
    }
    return answer;
  }

  /** Sends an order that must succeed, and returns the result. */
  String done(String order) {
    String answer = patience.get(order(order));
    if (!answer.startsWith(OK)) {
      throw new IllegalStateException(name + " did not " + order + ": " + answer);
    }
    return answer.substring(OK.length());
  }

  /** Sends an order that the host must refuse, and returns the code of the refusal. */
  String refused(String order) {
    return code(order, patience.get(order(order)));
  }

  /** Returns the code of a refused order. */
  String code(String order, String answer) {
    if (answer.startsWith(OK)) {
      throw new IllegalStateException(name + " was to refuse, and did " + order + ": " + answer);
    }
    return answer.split(":", 2)[0];
  }

  /** Kills the host, like {@code kill -9}, and waits until it has ended. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Closes the host's input, waits for its end, and returns its exit status. */
  int end() {
    orders.close();
    return patience.get(process.onExit()).exitValue();
  }

  @Override
  public void close() {
    kill();
  }
}
