package io.csi4j.volume.internal.time;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates daemon threads whose names have a common prefix and a number. */
public final class NamedThreads implements ThreadFactory {

  private final String name;
  private final AtomicInteger made = new AtomicInteger();

  /** Creates a factory with this prefix for the names of threads. */
  public NamedThreads(String name) {
    this.name = name;
  }

  @Override
  public Thread newThread(Runnable work) {
    Thread thread = new Thread(work, name + "-" + made.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }
}
