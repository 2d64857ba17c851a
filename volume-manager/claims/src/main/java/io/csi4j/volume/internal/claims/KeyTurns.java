package io.csi4j.volume.internal.claims;

import io.csi4j.volume.model.VolumeKey;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets one writer at a time work on a key. No lock is held meanwhile. */
public final class KeyTurns {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Set<VolumeKey> taken = new HashSet<>();

  /** Waits for the turn, also with an interrupt. */
  public void begin(VolumeKey key) {
    lock.lock();
    try {
      while (!taken.add(key)) {
        ended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the turn. */
  public void end(VolumeKey key) {
    lock.lock();
    try {
      taken.remove(key);
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
