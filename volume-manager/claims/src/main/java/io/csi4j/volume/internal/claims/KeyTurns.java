package io.csi4j.volume.internal.claims;

import io.csi4j.volume.model.VolumeKey;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Lets one writer at a time work on a key. No lock is held meanwhile. */
public final class KeyTurns {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Set<VolumeKey> taken = new HashSet<>();

  /** Works when it is the turn of the key; waits for that also with an interrupt. */
  public <T> T during(VolumeKey key, Supplier<T> work) {
    lock.lock();
    try {
      while (!taken.add(key)) {
        ended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
    try {
      return work.get();
    } finally {
      lock.lock();
      try {
        taken.remove(key);
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
