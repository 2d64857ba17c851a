package io.csi4j.volume.kill;

import io.csi4j.volume.model.OperatorCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** An {@link EngineMain}, or another program that takes orders, as its killer sees it. */
final class EngineProcess implements AutoCloseable {

  /** Far more than anything takes; the failure that follows shows what was said. */
  private static final long PATIENCE = Long.getLong("kill.patience", 60);

  private static final String END = "end of the process";
  private static final String SUPERSEDED = " " + OperatorCode.SUPERSEDED.label() + ": ";

  private final Process process;
  private final PrintStream orders;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());
  private final Thread reader;
  private final String opened;

  private EngineProcess(Process process) {
    this.process = process;
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
    reader = new Thread(() -> read(said), "kill-rig-reader");
    reader.setDaemon(true);
    reader.start();
    opened = until(line -> line.startsWith("opened") || line.startsWith("refused "));
  }

  /**
   * Starts one and waits until it has opened its manager.
   *
   * @param plugins the plugins that it is told of
   * @param first what the JVM is started by, if not directly
   */
  static EngineProcess start(Path root, Collection<StoragePlugin> plugins, String... first) {
    List<String> arguments = new ArrayList<>(List.of(root.toString()));
    plugins.forEach(plugin -> arguments.add(plugin.id() + "=" + plugin.socket()));
    return start(EngineMain.class, arguments, List.of(first));
  }

  /** Starts another program that takes orders, and waits until it has opened what it needs. */
  static EngineProcess start(Class<?> program, List<String> arguments) {
    return start(program, arguments, List.of());
  }

  private static EngineProcess start(Class<?> program, List<String> arguments, List<String> first) {
    List<String> command = new ArrayList<>(first);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx256m",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            program.getName()));
    command.addAll(arguments);
    try {
      return new EngineProcess(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(BufferedReader said) {
    try {
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        log.add(line);
        lines.add(line);
      }
    } catch (IOException e) {
      log.add(e.toString());
    }
    lines.add(END);
  }

  /** The first thing that it said: what it found, or why it refused. */
  String opened() {
    return opened;
  }

  long pid() {
    return process.pid();
  }

  /** Gives it an order that it does not answer. */
  void order(String order) {
    log.add("> " + order);
    orders.println(order);
  }

  /** Gives it an order, and gives the answer that begins so; fails for another one. */
  String ask(String order, String answer) {
    order(order);
    String line = until(said -> !said.startsWith("parked "));
    if (!line.startsWith(answer)) {
      throw new AssertionError("Not \"" + answer + "\" but \"" + line + "\" in:\n" + log());
    }
    return line.substring(answer.length()).strip();
  }

  /** Gives it an order, and waits until a thread stands still at the moment named. */
  void park(String point, String order) {
    order("arm " + point);
    order(order);
    until(line -> line.equals("parked " + point));
  }

  /**
   * Gives it orders, and waits until all its threads stand still at the nth moment from now.
   *
   * @return the moment; nothing if all was done before
   */
  Optional<String> parkAt(int nth, List<String> orders) {
    order("arm #" + nth);
    orders.forEach(this::order);
    for (int answers = 0; answers < orders.size(); answers++) {
      String line = until(said -> true);
      if (line.startsWith("parked ")) {
        return Optional.of(line.substring("parked ".length()));
      }
      // An order to unmount may overtake the mount that it ends.
      if (line.startsWith("failed ") && !line.contains(SUPERSEDED)) {
        throw new AssertionError(line + " in:\n" + log());
      }
    }
    return Optional.empty();
  }

  /** Waits for the answers to so many orders, whatever they are. */
  List<String> answers(int orders) {
    List<String> answers = new ArrayList<>();
    while (answers.size() < orders) {
      answers.add(until(line -> true));
    }
    return answers;
  }

  /** Waits until nothing is going on in it. */
  void awaitRest() {
    long begun = System.nanoTime();
    while (!ask("resting", "").equals("resting")) {
      if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(PATIENCE)) {
        throw new AssertionError("It never came to rest:\n" + log());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  private String until(Predicate<String> wanted) {
    try {
      while (true) {
        String line = lines.poll(PATIENCE, TimeUnit.SECONDS);
        if (line == null || line.equals(END)) {
          throw new AssertionError((line == null ? "Silence" : line) + " in:\n" + log());
        }
        if (wanted.test(line)) {
          return line;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** All orders and answers. */
  String log() {
    return String.join("\n", List.copyOf(log));
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Waits until all that it said before its end was read. */
  void awaitEnd() {
    try {
      reader.join(TimeUnit.SECONDS.toMillis(PATIENCE));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** SIGTERM; gives the status of the end. */
  int terminate() {
    process.destroy();
    return process.onExit().join().exitValue();
  }

  /** Closes the manager and ends the process. */
  void end() {
    order("close");
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
