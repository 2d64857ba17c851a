package io.csi4j.mount;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A program with its own JVM whose address space has no place for another thread when it looks at a
 * mount by JNA, and has some when it looks again.
 */
final class StarvedHost {

  /** Stack of a thread that is started without a size, as JNA starts its own. */
  private static final long STACK = 128L << 20;

  /** Address space of the program in KiB; a JVM takes less than half of it. */
  private static final long SPACE = 8L << 20;

  private StarvedHost() {}

  /** Runs the program, and returns the lines that it and its JVM print. */
  static List<String> run() throws IOException {
    Process program =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -v " + SPACE + " && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xss" + STACK,
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable",
                "-Dcsi4j.mount.binding=jna",
                "-cp",
                System.getProperty("java.class.path"),
                StarvedHost.class.getName())
            .redirectErrorStream(true)
            .start();
    try {
      byte[] all = program.getInputStream().readAllBytes();
      return new String(all, StandardCharsets.UTF_8).lines().toList();
    } finally {
      program.destroyForcibly();
    }
  }

  public static void main(String[] args) throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (long stack = 1L << 30; stack >= STACK / 2; stack /= 2) {
      Optional<Thread> started = started(stack, release);
      while (started.isPresent()) {
        threads.add(started.get());
        started = started(stack, release);
      }
    }
    look();

    release.countDown();
    for (Thread each : threads) {
      each.join();
    }
    // The stack of a thread is given back a moment after its end.
    while (started(STACK, release).isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
    look();
  }

  private static void look() {
    try {
      System.out.println(MountTable.system().probe(MountPath.ROOT).isMount());
      System.out.println(MountCapabilities.system().binding());
    } catch (MountException refused) {
      System.out.println(refused.getMessage());
    }
  }

  /** Returns a new thread that ends after the release, unless there is no place for its stack. */
  private static Optional<Thread> started(long stack, CountDownLatch release) {
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "stack of " + stack,
            stack);
    try {
      thread.start();
      return Optional.of(thread);
    } catch (OutOfMemoryError full) {
      return Optional.empty();
    }
  }
}
