package io.csi4j.volume.manager;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The parts that were opened so far; closed again, the last first, unless all of them were opened.
 */
final class OpenedParts implements AutoCloseable {

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T part) {
    opened.push(part);
    return part;
  }

  /** Everything is open, and stays so. */
  <T> T done(T result) {
    opened.clear();
    return result;
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        System.getLogger("io.csi4j.volume")
            .log(System.Logger.Level.WARNING, "A part of a manager could not be closed.", e);
      }
    }
  }
}
