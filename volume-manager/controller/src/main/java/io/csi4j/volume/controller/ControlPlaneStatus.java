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
 * The state of a control plane, as far as it is known without asking the store or a plugin: for
 * gauges and health checks. Volumes and pending operations are those of the whole store, which all
 * control planes that share it show.
 *
 * <pre>{@code
 * ControlPlaneStatus status = controller.status();
 * status.pending().stream()
 *     .filter(ControlPlaneStatus.Pending::isHeld)
 *     .forEach(each -> alert.accept(each.volume(), each.failure())); // for a person
 * }</pre>
 *
 * @param controlPlane the name of this control plane
 * @param at the time at which it was taken
 * @param volumes the number of volumes in each state that has any
 * @param unreadable the number of records that cannot be read
 * @param viewAge the time for which this view may lack what the store has; zero if it lacks nothing
 *     but what the store is about to report
 * @param here the number of volumes whose records say that this control plane works on them
 * @param elsewhere the number of those that another control plane works on
 * @param pending the volumes with an operation that has begun and has not ended
 * @param session the session of this control plane
 * @param upkeep the control plane that had each chore of the upkeep when {@link
 *     VolumeController#takeUpkeep} was called last
 * @param readOnly why the store accepts no write, if it accepts none
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
    /** No work counts for it. */
    IDLE,
    /** Work goes on under it. */
    ACTIVE,
    /**
     * It was not renewed for so long that another control plane may end it soon: no call is sent
     * for the work under it.
     */
    UNCERTAIN,
    /** Another control plane has ended it while work went on under it. */
    LOST;

    /** Whether work of the control plane stops for it. */
    public boolean isTrouble() {
      return this == UNCERTAIN || this == LOST;
    }
  }

  /**
   * A volume with an operation that has begun and has not ended.
   *
   * @param volume the volume
   * @param operation the operation
   * @param since when the record of the volume was changed last, where that is known: the operation
   *     has been pending at least since then
   * @param attempts the number of attempts in the background of this control plane
   * @param failure the reason for which the last of them failed, if it did
   * @param isHeld whether this control plane waits for a person before it tries again
   * @param next when it tries again, if that is planned
   * @param owner the name of the control plane that works on it now, if one does
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

  /** Returns the chores of the upkeep that this control plane has. */
  public Set<String> chores() {
    return upkeep.entrySet().stream()
        .filter(chore -> chore.getValue().equals(controlPlane))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }
}
