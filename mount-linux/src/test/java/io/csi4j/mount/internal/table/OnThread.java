package io.csi4j.mount.internal.table;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** Work on a thread of its own, which may give up what it never gets back. */
final class OnThread {

  private OnThread() {}

  static <T> T get(Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(work::get);
    new Thread(task, "test").start();
    try {
      return task.get();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e.getCause());
    }
  }
}
