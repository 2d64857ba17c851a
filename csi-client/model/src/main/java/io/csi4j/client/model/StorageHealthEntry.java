package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Optional;

/**
 * A problem with the storage behind a plugin, as seen from a node. Meant for display and for
 * policies of the host: the entry does not prescribe an action.
 *
 * @param status the severity, if this library knows the number
 * @param number the number of the status on the wire; zero if the plugin set none
 * @param reason the kind of problem
 * @param message the description by the plugin, escaped and cut to 1 KiB
 * @param capability the use of volumes that the problem affects; empty if it affects all uses
 * @since 1.0
 */
@Experimental
public record StorageHealthEntry(
    Status status,
    int number,
    HealthReason reason,
    String message,
    Optional<VolumeCapability> capability) {

  /** The kinds of storage problems. */
  public enum Status {
    /** A status that this library does not know. The library only displays this status. */
    UNRECOGNIZED(0),
    /** The storage works, but with less speed or redundancy than intended. */
    STORAGE_DEGRADED(1),
    /** The storage cannot be reached from this node. */
    STORAGE_UNREACHABLE(2);

    private final int number;

    Status(int number) {
      this.number = number;
    }

    /** The number on the wire; zero for {@link #UNRECOGNIZED}. */
    public int number() {
      return number;
    }

    private static Status ofNumber(int number) {
      for (Status status : values()) {
        if (status.number == number) {
          return status;
        }
      }
      return UNRECOGNIZED;
    }
  }

  /** Makes the texts safe to print; refuses a status with the number of another status. */
  public StorageHealthEntry {
    if (status != Status.ofNumber(number)) {
      throw new IllegalArgumentException(
          "The status " + status + " of a storage does not have the number " + number + ".");
    }
    message = SafeText.escape(message);
  }

  /** Returns an entry whose status has this number on the wire. */
  public static StorageHealthEntry of(
      int number, HealthReason reason, String message, Optional<VolumeCapability> capability) {
    return new StorageHealthEntry(Status.ofNumber(number), number, reason, message, capability);
  }

  /** Returns a description of the problem: its status, and its reason if there is one. */
  public String fault() {
    String told = status == Status.UNRECOGNIZED ? "status " + number : status.name();
    return reason.word().isEmpty() ? told : told + " (" + reason + ")";
  }
}
