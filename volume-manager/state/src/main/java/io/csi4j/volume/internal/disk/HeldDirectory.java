package io.csi4j.volume.internal.disk;

/**
 * A directory that is held open.
 *
 * @param identity distinguishes it from every other directory
 * @param held closing this releases the directory
 */
public record HeldDirectory(Object identity, HeldLock held) implements AutoCloseable {

  @Override
  public void close() {
    held.close();
  }
}
