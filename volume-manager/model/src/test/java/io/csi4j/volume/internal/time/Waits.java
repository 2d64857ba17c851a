package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
public final class Waits {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

  private Waits() {}

  /** Returns once it is so. */
  public static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("nanoseconds that are left").isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /**
   * The threads with names that begin like this, without those that wait for work: they end a
   * moment later, which {@link OnDemandThreads} sees to.
   */
  public static List<String> working(String name) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> each.getKey().getName().startsWith(name))
        .filter(
            each ->
                Arrays.stream(each.getValue())
                    .noneMatch(
                        frame ->
                            frame.getClassName().equals(ThreadPoolExecutor.class.getName())
                                && frame.getMethodName().equals("getTask")))
        .map(each -> each.getKey().getName())
        .toList();
  }

  /** What comes of it. */
  public static <T> T on(CompletableFuture<T> future) {
    return future.orTimeout(PATIENCE, TimeUnit.NANOSECONDS).join();
  }
}
