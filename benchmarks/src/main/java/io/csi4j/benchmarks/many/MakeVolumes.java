package io.csi4j.benchmarks.many;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * Mounts volumes through the real engine, and leaves them mounted. The arguments are ROOT COUNT
 * KERNEL PATH.
 */
public final class MakeVolumes {

  /**
   * Number of concurrent mounts. The limit keeps the memory of waiting volumes out of the
   * measurement.
   */
  private static final int AT_A_TIME = 64;

  private MakeVolumes() {}

  /** Mounts the volumes, and prints how long that took. */
  public static void main(String[] words) throws IOException {
    Path root = Path.of(words[0]);
    int count = Integer.parseInt(words[1]);
    Files.createDirectories(root);
    long begun = System.nanoTime();
    try (Kernel kernel = Kernel.of(words[2], words[3]);
        Node node = Node.open(root, kernel)) {
      Semaphore room = new Semaphore(AT_A_TIME);
      CompletableFuture<?>[] all =
          IntStream.range(0, count)
              .mapToObj(
                  i -> {
                    room.acquireUninterruptibly();
                    return node.mount(i).whenComplete((done, failed) -> room.release());
                  })
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(all).join();
    }
    System.out.printf("%d volumes mounted in %.1f s%n", count, (System.nanoTime() - begun) / 1e9);
  }
}
