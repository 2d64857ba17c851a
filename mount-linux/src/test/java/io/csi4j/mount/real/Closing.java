package io.csi4j.mount.real;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;

/** Closes what others use: by two threads at once, while a third works with it, and once more. */
public final class Closing {

  private static final int AFTERWARDS = 3;
  private static final String OURS = "io.csi4j.";

  /** Something that is done with the subject again and again. */
  @FunctionalInterface
  public interface Operation {
    /** Does it once. */
    void run() throws Exception;
  }

  private Closing() {}

  /**
   * Closes a subject by two threads at once, while a third goes on with an operation until some
   * time after that, and closes it once more.
   *
   * @return each exception but those with which csi4j itself refuses the operation: they are of a
   *     type of csi4j, or an {@link IllegalStateException} that its code has thrown
   */
  public static List<Throwable> whileUsed(AutoCloseable subject, Operation operation)
      throws Exception {
    List<Throwable> broken = Collections.synchronizedList(new ArrayList<>());
    CyclicBarrier together = new CyclicBarrier(2);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(2);
    List<Thread> threads = new ArrayList<>();
    threads.add(
        new Thread(
            () -> {
              int left = AFTERWARDS;
              while (left > 0) {
                if (closed.getCount() == 0) {
                  left--;
                }
                try {
                  operation.run();
                } catch (Throwable failure) {
                  if (!isRefusal(failure)) {
                    broken.add(failure);
                  }
                }
                begun.countDown();
              }
            }));
    for (int i = 0; i < 2; i++) {
      threads.add(
          new Thread(
              () -> {
                try {
                  begun.await();
                  together.await();
                  subject.close();
                } catch (Throwable failure) {
                  broken.add(failure);
                } finally {
                  closed.countDown();
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    try {
      subject.close();
    } catch (Throwable failure) {
      broken.add(failure);
    }
    return List.copyOf(broken);
  }

  private static boolean isRefusal(Throwable failure) {
    boolean isOurs = failure.getClass().getName().startsWith(OURS);
    return isOurs
        || (failure.getClass() == IllegalStateException.class
            && failure.getStackTrace()[0].getClassName().startsWith(OURS));
  }
}
