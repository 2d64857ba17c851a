package io.csi4j.volume.node;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.WorkContext;

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

  /**
   * Returns the context in which a call of an operation is sent to the plugin. Called on a thread
   * of the manager when the operation asks for the call, before {@link VolumeEvent.Called}, which
   * follows unless the operation ends without the call. Volumes wait for it, so it must not block;
   * what it throws is logged.
   *
   * @param operation the operation; {@link VolumeEvent.Started} may be delivered later
   * @param call the call
   */
  default WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
    return WorkContext.none();
  }
}
