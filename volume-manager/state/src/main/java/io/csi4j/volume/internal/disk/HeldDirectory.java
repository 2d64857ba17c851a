package io.csi4j.volume.internal.disk;

/**
 * A directory that is held open.
 *
 * @param identity tells it from every other directory
 * @param held closed when it is held no more
 */
public record HeldDirectory(Object identity, HeldLock held) implements AutoCloseable {

  @Override
  public void close() {
    held.close();
  }
}
