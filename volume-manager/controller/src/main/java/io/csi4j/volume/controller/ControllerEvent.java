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
 * An event in a {@link VolumeController}. No event contains a secret, a context or a parameter.
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
    /** Creates the record of an existing volume. */
    REGISTER,
    /** Removes the record of a volume; the volume itself is not touched. */
    DEREGISTER,
    /** Expands a volume, or records the result of its expansion on the node. */
    EXPAND,
    /** Changes mutable parameters of a volume. */
    MODIFY,
    /** Abandons pending changes of a volume. */
    ABANDON,
    /** Resumes a pending operation for a caller. */
    RESUME,
    /** Resumes a pending operation in the background. */
    RETRY,
    /** Reads the state of a volume from its plugin. */
    INSPECT,
    /** Attaches a volume to a node. */
    ATTACH,
    /** Detaches a volume from a node. */
    DETACH,
    /** Creates a snapshot, or waits until it is ready. */
    CREATE_SNAPSHOT,
    /**
     * Deletes a snapshot, including one whose creation is uncertain, or removes it from the record.
     */
    DELETE_SNAPSHOT,
    /** Creates snapshots of several volumes, or waits until they are ready. */
    CREATE_GROUP_SNAPSHOT,
    /** Deletes a group of snapshots. */
    DELETE_GROUP_SNAPSHOT
  }

  /**
   * An operation begins because its turn has come. Exactly one {@link Ended} follows on the same
   * thread.
   *
   * @param id the number of the operation
   * @param operation the kind of the operation
   * @param volume the volume; empty for an operation on several volumes, or on a snapshot whose
   *     volume is not known
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
   * @param isSent whether the plugin may have received the call
   * @param elapsed the time since the operation requested the call, including the wait for other
   *     calls, secrets and a connection
   * @param endpoint the socket of the called instance; empty if no instance was called
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
   * @param started the start of the operation
   * @param elapsed the duration of the operation
   * @param failure the failure, if the operation failed
   */
  record Ended(Started started, Duration elapsed, Optional<OperatorMessage> failure)
      implements ControllerEvent {}

  /**
   * An operation begins to wait for another control plane to end its work on the volume. Exactly
   * one {@link Waited} follows on the same thread, before the {@link Ended} of the operation.
   *
   * @param operation the number of the operation
   * @param volume the volume
   * @param controlPlane the name of the other control plane
   */
  record Waiting(OperationId operation, VolumeKey volume, String controlPlane)
      implements ControllerEvent {}

  /**
   * The wait for another control plane has ended: its work has ended or is taken over, or the wait
   * timed out.
   *
   * @param waiting the start of the wait
   * @param elapsed the duration of the wait
   */
  record Waited(Waiting waiting, Duration elapsed) implements ControllerEvent {}

  /**
   * A background attempt to finish an operation has ended. Delivered after the {@link Ended} of the
   * attempt, which is a {@link Operation#RETRY}.
   *
   * @param volume the volume
   * @param operation the pending operation: a deletion, an expansion or a modification
   * @param number the number of the attempt, from 1 for each pending operation
   * @param outcome the result of the attempt
   * @param failure the failure, if the attempt failed
   * @param next the time of the next attempt; empty if none is planned
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
      /** The attempt succeeded. */
      DONE,
      /** The attempt failed, and is repeated. */
      FAILED,
      /** The attempt failed, and is not repeated before a person has intervened. */
      HELD,
      /** Another control plane works on the volume. */
      ELSEWHERE
    }
  }

  /**
   * This control plane has taken over work on a volume: it has written the record of a volume whose
   * work another session had begun and not ended.
   *
   * @param volume the volume
   * @param from the name of the control plane that had begun the work; the name of this one, if an
   *     earlier process of it had
   */
  record TakenOver(VolumeKey volume, String from) implements ControllerEvent {}

  /**
   * This control plane has given up its work on a volume because the end of the work could not be
   * written: any control plane may take it over immediately.
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
   * The store of the catalog accepts no more writes, or accepts writes again.
   *
   * @param readOnly why the store accepts no writes; empty if it accepts them
   */
  record StoreChanged(Optional<ReasonText> readOnly) implements ControllerEvent {}

  /**
   * A listener for the operations of a {@link VolumeController}. Events are delivered on the thread
   * on which they occur, without holding a lock: an operation waits for its listener. Exceptions of
   * a listener are logged.
   *
   * <p>Operations that make changes, {@link VolumeController#inspect} and attachments have events.
   * Lists and reads of capacity and health have none. Events that belong to no operation ({@link
   * Attempted}, {@link GivenUp}, {@link SessionChanged}, {@link StoreChanged}) are delivered on any
   * thread.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Receives one event. */
    void on(ControllerEvent event);

    /**
     * An operation is requested. Called on the caller's thread before the operation begins: the
     * place to note the caller's context, such as its trace. No event follows if the operation is
     * refused before its turn comes.
     *
     * @param operation the number of the operation
     */
    default void asked(OperationId operation) {}

    /**
     * Returns the context in which a call of an operation is sent to the plugin. Called on the
     * thread of the operation when it requests the call.
     *
     * @param operation the operation
     * @param call the call
     */
    default WorkContext calling(ControllerEvent.Started operation, CsiOperation call) {
      return WorkContext.none();
    }
  }
}
