package io.csi4j.volume.node;

import io.csi4j.volume.model.OperationId;

/**
 * A listener who is told what happens. Events come in order, one at a time, on a thread that does
 * nothing else meanwhile; a listener that throws or blocks harms no volume. When too many wait, the
 * oldest are dropped and counted, failures last.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface VolumeListener {

  /** Told of one event. */
  void on(VolumeEvent event);

  /**
   * Told that an operation is asked for, on the thread of the caller that asks, before the
   * operation begins: the place to note for whom the caller works, such as its trace. The caller
   * waits for it; what it throws is logged. No event follows if the caller shares an operation that
   * another has asked for, or is refused. Operations of the background are not told here.
   *
   * @param operation the number of the operation
   */
  default void asked(OperationId operation) {}
}
