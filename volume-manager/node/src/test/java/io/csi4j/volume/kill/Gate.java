package io.csi4j.volume.kill;

import io.csi4j.volume.internal.port.CrashPoint;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stops a thread of the engine for ever when it comes to the moment that was named, and says so:
 * then the process can be killed at exactly this moment. Other threads go on, unless a number of
 * moments was named instead: at the last of them all threads stop.
 */
final class Gate implements CrashPoint.Listener {

  private final ReentrantLock lock = new ReentrantLock();
  private final Consumer<String> told;
  private @Nullable CrashPoint named;
  private int left;
  private boolean shut;

  /** Null while nobody has asked: a host that runs for hours passes millions of them. */
  private @Nullable StringBuilder passed;

  Gate(Consumer<String> told) {
    this.told = told;
  }

  /**
   * Stops the next thread that comes to this moment: {@code BEFORE_STAGE}; or all, at the nth:
   * {@code #5}.
   */
  void arm(String what) {
    lock.lock();
    try {
      if (what.startsWith("#")) {
        left = Integer.parseInt(what.substring(1));
      } else {
        named = CrashPoint.valueOf(what);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The moments that were passed since this was asked last; none when it is asked first. */
  String passed() {
    lock.lock();
    try {
      String all = passed == null ? "" : passed.toString().strip();
      passed = new StringBuilder();
      return all;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void at(CrashPoint point) {
    if (isShutFor(point)) {
      told.accept("parked " + point);
      while (true) {
        LockSupport.park(this);
      }
    }
  }

  private boolean isShutFor(CrashPoint point) {
    lock.lock();
    try {
      if (passed != null) {
        passed.append(point).append(' ');
      }
      if (point == named) {
        named = null;
        return true;
      }
      shut |= left > 0 && --left == 0;
      return shut;
    } finally {
      lock.unlock();
    }
  }
}
