package io.csi4j.volume.contend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that does what it is started for, such as a {@link ContenderMain}. It prints {@code
 * did} for each thing that it did, and {@code done} at the end.
 */
public final class ContenderProcess {

  private final String name;
  private final int life;
  private final int toDo;
  private final long started = System.nanoTime();
  private final Process process;
  private final Thread reader;
  private final AtomicInteger did = new AtomicInteger();
  private volatile boolean isDone;

  /**
   * Starts one.
   *
   * @param life how often one of this name was started before
   * @param did called for each thing that it did
   */
  ContenderProcess(
      ContendedStore kind,
      String address,
      Path directory,
      String name,
      int life,
      int volumes,
      int toDo,
      long seed,
      Runnable did) {
    this(
        ContenderMain.class,
        name,
        life,
        toDo,
        did,
        kind.getClass().getName(),
        address,
        name,
        Integer.toString(life),
        Integer.toString(volumes),
        Integer.toString(toDo),
        Long.toString(seed),
        history(directory, name, life).toString());
  }

  /**
   * Starts a program of the tests.
   *
   * @param life how often one of this name was started before
   * @param did called for each thing that it did
   * @param words the arguments of the program
   */
  public ContenderProcess(
      Class<?> program, String name, int life, int toDo, Runnable did, String... words) {
    this.name = name;
    this.life = life;
    this.toDo = toDo;
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx192m",
            "-Dslf4j.internal.verbosity=ERROR",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            program.getName()));
    command.addAll(List.of(words));
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    BufferedReader said = process.inputReader(StandardCharsets.US_ASCII);
    reader = new Thread(() -> read(said, did), "contention-reader-" + name);
    reader.setDaemon(true);
    reader.start();
  }

  private void read(BufferedReader said, Runnable told) {
    try {
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        if (line.equals("did")) {
          did.incrementAndGet();
          told.run();
        } else if (line.equals("done")) {
          isDone = true;
        }
      }
    } catch (IOException killed) {
      // What it said last is of no matter.
    }
  }

  public String name() {
    return name;
  }

  public int life() {
    return life;
  }

  /** When it was started, by the clock that its history has. */
  public long started() {
    return started;
  }

  public Path history(Path directory) {
    return history(directory, name, life);
  }

  private static Path history(Path directory, String name, int life) {
    return directory.resolve(name + "." + life + ".history");
  }

  /** How much it has not done. */
  public int left() {
    return Math.max(0, toDo - did.get());
  }

  /** How much it has done. */
  public int did() {
    return did.get();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it has come to its end on its own. */
  public boolean isDone() {
    return isDone;
  }

  public void pause() {
    Signals.stop(process.toHandle());
  }

  public void resume() {
    Signals.sendUnlessEnded("CONT", process.toHandle());
  }

  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  public void awaitEnd() {
    process.onExit().join();
    try {
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
