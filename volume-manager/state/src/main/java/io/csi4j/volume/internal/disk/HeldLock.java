package io.csi4j.volume.internal.disk;

/** A lock on a file, held until it is closed. */
@FunctionalInterface
public interface HeldLock extends AutoCloseable {

  /** Releases the lock. */
  @Override
  void close();
}
