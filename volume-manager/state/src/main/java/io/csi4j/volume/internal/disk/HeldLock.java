package io.csi4j.volume.internal.disk;

/** A lock on a file, until it is closed. */
@FunctionalInterface
public interface HeldLock extends AutoCloseable {

  /** Lets go of it. */
  @Override
  void close();
}
