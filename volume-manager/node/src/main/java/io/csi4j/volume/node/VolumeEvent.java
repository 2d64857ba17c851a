package io.csi4j.volume.node;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkContext;
import java.time.Duration;
import java.util.Optional;

/**
 * An event of a {@link io.csi4j.volume.manager.VolumeManager}. No event contains a secret.
 *
 * @since 1.0
 */
public sealed interface VolumeEvent {

  /** The kind of an operation. */
  enum Operation {
    /** Mounting a volume for a workload. */
    MOUNT,
    /** Releasing the use of a volume. */
    UNMOUNT,
    /** Expanding a volume on the node after the volume has grown. */
    EXPAND,
    /** Reading the usage of a volume. */
    STATS,
    /** Removing mounts that are no longer wanted, in the background. */
    CLEAN_UP,
    /** Repairing dead mounts, in the background. */
    REPAIR,
    /** Publishing a mounted volume again with new contexts or secrets. */
    REFRESH
  }

  /**
   * An operation begins. Exactly one {@link Ended} with the same id follows.
   *
   * @param id the number of the operation
   * @param operation the kind of the operation
   * @param plugin the plugin
   * @param usage the use of the operation; empty for a volume without uses
   */
  record Started(OperationId id, Operation operation, PluginId plugin, Optional<VolumeUse> usage)
      implements VolumeEvent {}

  /**
   * An operation has ended.
   *
   * @param started the start of the operation
   * @param elapsed the duration of the operation
   * @param failure the failure, if the operation did not succeed
   */
  record Ended(Started started, Duration elapsed, Optional<OperatorMessage> failure)
      implements VolumeEvent {}

  /**
   * A call of an operation has ended: the plugin answered, the time limit passed, or the call was
   * not sent. Delivered between the {@link Started} and the {@link Ended} of the operation.
   *
   * @param operation the number of the operation
   * @param plugin the plugin
   * @param call the call
   * @param code the gRPC status of the call
   * @param isSent whether the plugin may have received the call
   * @param elapsed the time since the operation requested the call, including the time that the
   *     call waited for secrets, for a connection and in a queue
   * @param endpoint the socket of the plugin; empty if no plugin was registered
   */
  record Called(
      OperationId operation,
      PluginId plugin,
      CsiOperation call,
      StatusCode code,
      boolean isSent,
      Duration elapsed,
      Optional<CsiEndpoint> endpoint)
      implements VolumeEvent {}

  /**
   * A finding that an operator may need to act on.
   *
   * @param message the message
   */
  record Noticed(OperatorMessage message) implements VolumeEvent {}

  /**
   * A fault of a volume has begun or ended. Delivered once for each change, no matter how often the
   * plugin reports the fault.
   *
   * @param volume the volume
   * @param finding the fault and its source
   * @param isOver whether the fault has ended
   * @param message the message for an operator
   */
  record VolumeHealthChanged(
      VolumeIdentity volume, VolumeHealth.Finding finding, boolean isOver, OperatorMessage message)
      implements VolumeEvent {}

  /**
   * A fault of the storage behind a plugin has begun or ended. Delivered once for each change.
   *
   * @param plugin the plugin
   * @param finding the fault
   * @param isOver whether the fault has ended
   * @param message the message for an operator
   */
  record StorageHealthChanged(
      PluginId plugin, StorageFinding finding, boolean isOver, OperatorMessage message)
      implements VolumeEvent {}

  /**
   * Receives events. Events arrive in order, one at a time, on a thread that does no other work; a
   * listener that throws or blocks does not affect any volume. If too many events are queued, the
   * manager drops and counts the oldest events. It drops failures last.
   */
  @FunctionalInterface
  interface Listener {

    /** Receives one event. */
    void on(VolumeEvent event);

    /**
     * Called when a caller requests an operation, on the thread of the caller and before the
     * operation starts. Here, a listener can record the context of the caller, such as its trace.
     * The caller waits for this method; an exception is logged. No event follows if the request is
     * refused, or if the caller shares an operation that another caller has requested. Not called
     * for background operations.
     *
     * @param operation the number of the operation
     */
    default void asked(OperationId operation) {}

    /**
     * Returns the context in which a call of an operation is sent to the plugin. Called on a thread
     * of the manager when the operation requests the call, before {@link VolumeEvent.Called}, which
     * follows unless the operation ends without the call. The operation waits for this method, so
     * it must not block; an exception is logged.
     *
     * @param operation the operation. The listener may receive this event later
     * @param call the call
     */
    default WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
      return WorkContext.none();
    }
  }
}
