package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
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

  /** What comes of it. */
  public static <T> T on(CompletableFuture<T> future) {
    return future.orTimeout(PATIENCE, TimeUnit.NANOSECONDS).join();
  }
}
