package io.csi4j.mount.real;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what another thread does. */
public final class Eventually {

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

  private Eventually() {}

  /** Returns as soon as it is so, and fails the test if it never is. */
  public static void isTrue(String what, BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > PATIENCE) {
        throw new AssertionError("never came true: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
