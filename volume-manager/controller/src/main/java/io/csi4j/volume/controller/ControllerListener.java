package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.WorkContext;

/**
 * A listener for the operations of a {@link VolumeController}. Events are delivered on the thread
 * on which they happen, under no lock: an operation waits for its listener. What a listener throws
 * is logged.
 *
 * <p>Operations that change something, {@link VolumeController#inspect} and the attachments have
 * events. Lists, and readings of capacity and health, have none.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface ControllerListener {

  /** Receives one event. */
  void on(ControllerEvent event);

  /**
   * An operation is requested. Called on the thread of the caller, before the operation begins: the
   * place to note for whom the caller works, such as its trace. No event follows if the operation
   * is refused before its turn comes.
   *
   * @param operation the number of the operation
   */
  default void asked(OperationId operation) {}

  /**
   * Returns the context in which a call of an operation is sent to the plugin. Called on the thread
   * of the operation when it asks for the call.
   *
   * @param operation the operation
   * @param call the call
   */
  default WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
    return WorkContext.none();
  }
}
