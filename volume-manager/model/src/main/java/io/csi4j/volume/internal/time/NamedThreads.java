package io.csi4j.volume.internal.time;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads with a name and a number. */
public final class NamedThreads implements ThreadFactory {

  private final String name;
  private final AtomicInteger made = new AtomicInteger();

  /** Threads whose names begin like this. */
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
