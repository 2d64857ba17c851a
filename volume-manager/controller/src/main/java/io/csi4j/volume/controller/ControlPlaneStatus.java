package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.controller.ControllerEvent.Operation;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The state of a control plane, as known without reading the store or calling a plugin, for gauges
 * and health checks. Volumes and pending operations are those of the entire store; all control
 * planes that share the store show them.
 *
 * <pre>{@code
 * ControlPlaneStatus status = controller.status();
 * status.pending().stream()
 *     .filter(ControlPlaneStatus.Pending::isHeld)
 *     .forEach(each -> alert.accept(each.volume(), each.failure())); // for a person
 * }</pre>
 *
 * @param controlPlane the name of this control plane
 * @param at the time at which the status was taken
 * @param volumes the number of volumes in each state that occurs
 * @param unreadable the number of unreadable records
 * @param viewAge the time for which this view may lag behind the store; zero if it lacks only the
 *     changes that the store is about to report
 * @param here the number of volumes that this control plane works on, by their records
 * @param elsewhere the number of volumes that another control plane works on
 * @param pending the volumes with an operation that has begun and has not ended
 * @param session the session of this control plane
 * @param upkeep the control plane that had each upkeep chore at the last call of {@link
 *     VolumeController#takeUpkeep}
 * @param readOnly why the store accepts no writes, if it does not
 * @since 1.0
 */
public record ControlPlaneStatus(
    String controlPlane,
    Instant at,
    Map<VolumeSummary.State, Integer> volumes,
    int unreadable,
    Duration viewAge,
    int here,
    int elsewhere,
    List<Pending> pending,
    Session session,
    Map<String, String> upkeep,
    Optional<ReasonText> readOnly) {

  /** The states of a session. */
  public enum Session {
    /** No work belongs to the session. */
    IDLE,
    /** Work runs under the session. */
    ACTIVE,
    /**
     * The session was not renewed for so long that another control plane may end it soon: no call
     * is sent instead of the work under it.
     */
    UNCERTAIN,
    /** Another control plane has ended the session while work ran under it. */
    LOST;

    /** Whether this state stops work of the control plane. */
    public boolean isTrouble() {
      return this == UNCERTAIN || this == LOST;
    }
  }

  /**
   * A volume with an operation that has begun and has not ended.
   *
   * @param volume the volume
   * @param operation the operation
   * @param since the time at which the record of the volume was last changed, if known: the
   *     operation has been pending at least since then
   * @param attempts the number of background attempts of this control plane
   * @param failure the failure of the last attempt, if it failed
   * @param isHeld whether this control plane waits for a person before it retries
   * @param next the time of the next attempt, if one is planned
   * @param owner the name of the control plane that works on the volume now, if any
   */
  public record Pending(
      VolumeKey volume,
      Operation operation,
      Optional<Instant> since,
      int attempts,
      Optional<OperatorMessage> failure,
      boolean isHeld,
      Optional<Instant> next,
      Optional<String> owner) {

    /** Checks that all parts are set. */
    public Pending {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(operation, "operation");
      Objects.requireNonNull(since, "since");
      Objects.requireNonNull(failure, "failure");
      Objects.requireNonNull(next, "next");
      Objects.requireNonNull(owner, "owner");
    }

    /** Whether an operation on the volume has begun and has not ended. */
    static boolean isPending(CatalogEntry record) {
      return !(record.state() instanceof CatalogEntry.State.Present)
          || record.isBeingModified()
          || !record.pendingSnapshots().isEmpty();
    }

    /** The operation on a volume that has begun and has not ended. */
    static Operation operation(CatalogEntry record) {
      if (record.state() instanceof CatalogEntry.State.Creating) {
        return Operation.CREATE;
      } else if (record.state() instanceof CatalogEntry.State.Deleting) {
        return Operation.DELETE;
      } else if (record.state() instanceof CatalogEntry.State.Growing) {
        return Operation.EXPAND;
      }
      return record.isBeingModified() ? Operation.MODIFY : Operation.CREATE_SNAPSHOT;
    }
  }

  /** Copies the collections. */
  public ControlPlaneStatus {
    Objects.requireNonNull(controlPlane, "controlPlane");
    Objects.requireNonNull(at, "at");
    volumes = Map.copyOf(volumes);
    Objects.requireNonNull(viewAge, "viewAge");
    pending = List.copyOf(pending);
    Objects.requireNonNull(session, "session");
    upkeep = Map.copyOf(upkeep);
    Objects.requireNonNull(readOnly, "readOnly");
  }

  /** Returns the upkeep chores that this control plane has. */
  public Set<String> chores() {
    return upkeep.entrySet().stream()
        .filter(chore -> chore.getValue().equals(controlPlane))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }
}
