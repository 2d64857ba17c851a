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
 * Something that happened in a {@link io.csi4j.volume.manager.VolumeManager}. No event holds a
 * secret.
 *
 * @since 1.0
 */
public sealed interface VolumeEvent {

  /** The kinds of operations. */
  enum Operation {
    /** Making a volume appear for a workload. */
    MOUNT,
    /** Giving up the use of a volume. */
    UNMOUNT,
    /** Letting the node take notice that a volume has grown. */
    EXPAND,
    /** Reading how full a volume is. */
    STATS,
    /** Taking away in the background what is not wanted any more. */
    CLEAN_UP,
    /** The repair of dead mounts in the background. */
    REPAIR,
    /** Publishing again what is published, with new contexts or secrets. */
    REFRESH
  }

  /**
   * An operation begins. Exactly one {@link Ended} with the same id follows.
   *
   * @param id its number
   * @param operation its kind
   * @param plugin the plugin
   * @param usage the use it is about; nothing when it is about a volume without uses
   */
  record Started(OperationId id, Operation operation, PluginId plugin, Optional<VolumeUse> usage)
      implements VolumeEvent {}

  /**
   * An operation has ended.
   *
   * @param started how it began
   * @param elapsed how long it took
   * @param failure what went wrong, if it did not end as asked
   */
  record Ended(Started started, Duration elapsed, Optional<OperatorMessage> failure)
      implements VolumeEvent {}

  /**
   * A call of an operation has ended: it was answered, or was not answered in its time, or was not
   * sent. Told between the {@link Started} and the {@link Ended} of the operation.
   *
   * @param operation the number of the operation
   * @param plugin the plugin
   * @param call the call
   * @param code the status it ended with
   * @param isSent whether the plugin may have received it
   * @param elapsed the time since the operation asked for it, with the time in which it waited for
   *     secrets, a connection and its turn
   * @param endpoint the socket of the plugin; nothing if no plugin was registered
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
   * Something that an operator may want to know.
   *
   * @param message what
   */
  record Noticed(OperatorMessage message) implements VolumeEvent {}

  /**
   * A fault of a volume has begun, or is over: told once each, however often the plugin says it.
   *
   * @param volume the volume
   * @param finding the fault, and who says it
   * @param isOver whether it is over
   * @param message the same for an operator
   */
  record VolumeHealthChanged(
      VolumeIdentity volume, VolumeHealth.Finding finding, boolean isOver, OperatorMessage message)
      implements VolumeEvent {}

  /**
   * A fault of the storage behind a plugin has begun, or is over: told once each.
   *
   * @param plugin the plugin
   * @param finding the fault
   * @param isOver whether it is over
   * @param message the same for an operator
   */
  record StorageHealthChanged(
      PluginId plugin, StorageFinding finding, boolean isOver, OperatorMessage message)
      implements VolumeEvent {}

  /**
   * A listener who is told what happens. Events come in order, one at a time, on a thread that does
   * nothing else meanwhile; a listener that throws or blocks harms no volume. When too many wait,
   * the oldest are dropped and counted, failures last.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Told of one event. */
    void on(VolumeEvent event);

    /**
     * Told that an operation is asked for, on the thread of the caller that asks, before the
     * operation begins: the place to note for whom the caller works, such as its trace. The caller
     * waits for it; what it throws is logged. No event follows if the caller shares an operation
     * that another has asked for, or is refused. Operations of the background are not told here.
     *
     * @param operation the number of the operation
     */
    default void asked(OperationId operation) {}

    /**
     * Returns the context in which a call of an operation is sent to the plugin. Called on a thread
     * of the manager when the operation asks for the call, before {@link VolumeEvent.Called}, which
     * follows unless the operation ends without the call. Volumes wait for it, so it must not
     * block; what it throws is logged.
     *
     * @param operation the operation; {@link VolumeEvent.Started} may be delivered later
     * @param call the call
     */
    default WorkContext calling(VolumeEvent.Started operation, CsiOperation call) {
      return WorkContext.none();
    }
  }
}
