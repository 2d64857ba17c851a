package io.csi4j.examples;

import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/** A node, as its workloads know it: a fence ends all of them, and no write happens beside it. */
final class RigNode {

  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private int fences;

  /** Returns how often it was fenced so far. */
  int fences() {
    lock.readLock().lock();
    try {
      return fences;
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Works for a workload, unless the node was fenced since; returns whether it went well. */
  boolean work(int since, BooleanSupplier work) {
    lock.readLock().lock();
    try {
      return fences == since && work.getAsBoolean();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Ends all workloads, and does what a fence does. */
  void fence(Runnable work) {
    lock.writeLock().lock();
    try {
      fences++;
      work.run();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
