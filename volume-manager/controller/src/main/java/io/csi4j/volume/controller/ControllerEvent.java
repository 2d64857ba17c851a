package io.csi4j.volume.controller;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened in a {@link VolumeController}. No event holds a secret, a context or a
 * parameter.
 *
 * @since 1.0
 */
public sealed interface ControllerEvent {

  /** The kinds of operations. */
  enum Operation {
    /** Creates a volume. */
    CREATE,
    /** Deletes a volume. */
    DELETE,
    /** Takes a volume on record that exists. */
    REGISTER,
    /** Takes a volume off the record, and leaves it where it is. */
    DEREGISTER,
    /** Expands a volume, or records the result of its expansion on the node. */
    EXPAND,
    /** Changes mutable parameters of a volume. */
    MODIFY,
    /** Gives up changes of a volume that are pending. */
    ABANDON,
    /** Continues an operation that was begun and is pending, for a caller. */
    RESUME,
    /** Continues such an operation in the background. */
    RETRY,
    /** Reads the state of a volume from its plugin. */
    INSPECT,
    /** Attaches a volume to a node. */
    ATTACH,
    /** Detaches a volume from a node. */
    DETACH,
    /** Creates a snapshot, or waits until it is ready. */
    CREATE_SNAPSHOT,
    /** Deletes a snapshot, or one whose creation is uncertain; or takes it off the record. */
    DELETE_SNAPSHOT,
    /** Creates snapshots of several volumes, or waits until they are ready. */
    CREATE_GROUP_SNAPSHOT,
    /** Deletes a group of snapshots. */
    DELETE_GROUP_SNAPSHOT
  }

  /**
   * An operation begins: its turn has come. Exactly one {@link Ended} follows on the same thread.
   *
   * @param id its number
   * @param operation its kind
   * @param volume the volume; nothing for an operation on several volumes, or on a snapshot of
   *     which the volume is not known
   */
  record Started(OperationId id, Operation operation, Optional<VolumeKey> volume)
      implements ControllerEvent {}

  /**
   * A call of an operation has ended, with all its attempts. Delivered before the {@link Ended} of
   * the operation, on any thread.
   *
   * @param operation the number of the operation
   * @param plugin the plugin
   * @param call the call
   * @param code the status it ended with
   * @param isSent whether the plugin may have received it
   * @param elapsed the time since the operation asked for it, with the time in which it waited for
   *     other calls, secrets and a connection
   * @param endpoint the socket of the instance that was called; nothing if none was
   */
  record Called(
      OperationId operation,
      PluginId plugin,
      CsiOperation call,
      StatusCode code,
      boolean isSent,
      Duration elapsed,
      Optional<CsiEndpoint> endpoint)
      implements ControllerEvent {}

  /**
   * An operation has ended.
   *
   * @param started how it began
   * @param elapsed how long it took
   * @param failure the reason why it failed, if it did
   */
  record Ended(Started started, Duration elapsed, Optional<OperatorMessage> failure)
      implements ControllerEvent {}

  /**
   * An operation begins to wait until another control plane has ended its work on the volume.
   * Exactly one {@link Waited} follows on the same thread, before the {@link Ended} of the
   * operation.
   *
   * @param operation the number of the operation
   * @param volume the volume
   * @param controlPlane the name of the other control plane
   */
  record Waiting(OperationId operation, VolumeKey volume, String controlPlane)
      implements ControllerEvent {}

  /**
   * The wait for another control plane has ended: its work has ended or is taken over, or the wait
   * was too long.
   *
   * @param waiting how it began
   * @param elapsed how long it took
   */
  record Waited(Waiting waiting, Duration elapsed) implements ControllerEvent {}

  /**
   * An attempt in the background to finish an operation has ended. Delivered after the {@link
   * Ended} of the attempt, which is a {@link Operation#RETRY}.
   *
   * @param volume the volume
   * @param operation the operation that was pending: a deletion, an expansion or a modification
   * @param number the number of the attempt, from 1 for each pending operation
   * @param outcome what came of it
   * @param failure the reason why it failed, if it did
   * @param next when the next attempt begins; nothing if none is planned
   */
  record Attempted(
      VolumeKey volume,
      Operation operation,
      int number,
      Outcome outcome,
      Optional<OperatorMessage> failure,
      Optional<Instant> next)
      implements ControllerEvent {

    /** The results of an attempt. */
    public enum Outcome {
      /** Nothing failed. */
      DONE,
      /** It failed, and is repeated. */
      FAILED,
      /** It failed, and is not repeated before a person has looked. */
      HELD,
      /** Another control plane works on the volume. */
      ELSEWHERE
    }
  }

  /**
   * This control plane has taken work on a volume over: it has written the record of a volume whose
   * work another session had begun and not ended.
   *
   * @param volume the volume
   * @param from the name of the control plane that had begun the work; that of this one, if an
   *     earlier process of it had
   */
  record TakenOver(VolumeKey volume, String from) implements ControllerEvent {}

  /**
   * This control plane has given its work on a volume up, as the end of the work could not be
   * written: any control plane may take it over at once.
   *
   * @param volume the volume
   */
  record GivenUp(VolumeKey volume) implements ControllerEvent {}

  /**
   * The session of this control plane became uncertain or was lost, or has recovered from that.
   *
   * @param session the state of the session now
   */
  record SessionChanged(ControlPlaneStatus.Session session) implements ControllerEvent {}

  /**
   * The store of the catalog accepts no write any more, or accepts writes again.
   *
   * @param readOnly why it accepts none; nothing if it does
   */
  record StoreChanged(Optional<ReasonText> readOnly) implements ControllerEvent {}

  /**
   * A listener for the operations of a {@link VolumeController}. Events are delivered on the thread
   * on which they happen, under no lock: an operation waits for its listener. What a listener
   * throws is logged.
   *
   * <p>Operations that change something, {@link VolumeController#inspect} and the attachments have
   * events. Lists, and readings of capacity and health, have none. The events that belong to no
   * operation ({@link Attempted}, {@link GivenUp}, {@link SessionChanged}, {@link StoreChanged})
   * come on any thread.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Receives one event. */
    void on(ControllerEvent event);

    /**
     * An operation is requested. Called on the thread of the caller, before the operation begins:
     * the place to note for whom the caller works, such as its trace. No event follows if the
     * operation is refused before its turn comes.
     *
     * @param operation the number of the operation
     */
    default void asked(OperationId operation) {}

    /**
     * Returns the context in which a call of an operation is sent to the plugin. Called on the
     * thread of the operation when it asks for the call.
     *
     * @param operation the operation
     * @param call the call
     */
    default WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
      return WorkContext.none();
    }
  }
}
