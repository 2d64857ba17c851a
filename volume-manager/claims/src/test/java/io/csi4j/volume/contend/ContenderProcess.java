package io.csi4j.volume.contend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A {@link ContenderMain} in a process of its own. */
final class ContenderProcess {

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
    this.name = name;
    this.life = life;
    this.toDo = toDo;
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-Xmx192m",
            "-Dslf4j.internal.verbosity=ERROR",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            ContenderMain.class.getName(),
            kind.getClass().getName(),
            address,
            name,
            Integer.toString(life),
            Integer.toString(volumes),
            Integer.toString(toDo),
            Long.toString(seed),
            history(directory).toString());
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

  String name() {
    return name;
  }

  int life() {
    return life;
  }

  /** When it was started, by the clock that its history has. */
  long started() {
    return started;
  }

  Path history(Path directory) {
    return directory.resolve(name + "." + life + ".history");
  }

  /** How much it has not done. */
  int left() {
    return Math.max(0, toDo - did.get());
  }

  /** How much it has done. */
  int did() {
    return did.get();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it has come to its end by itself. */
  boolean isDone() {
    return isDone;
  }

  void pause() {
    Signals.stop(process.toHandle());
  }

  void resume() {
    Signals.sendUnlessEnded("CONT", process.toHandle());
  }

  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  void awaitEnd() {
    process.onExit().join();
    try {
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
