package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Optional;

/**
 * One thing that is wrong with the storage behind a plugin, as seen from a node. For people and for
 * policies of a host: it does not say what has to be done.
 *
 * @param status how bad it is, if this library knows the number
 * @param number the status as it stands on the wire; zero if the plugin stated none
 * @param reason what kind of fault it is
 * @param message what is wrong, in the plugin's words: escaped and cut to 1 KiB
 * @param capability the only way of using volumes that it affects; nothing for all ways
 * @since 1.0
 */
@Experimental
public record StorageHealthEntry(
    Status status,
    int number,
    HealthReason reason,
    String message,
    Optional<VolumeCapability> capability) {

  /** How the storage is not well. */
  public enum Status {
    /** A status that this library does not know. It is shown, and nothing depends on it. */
    UNRECOGNIZED(0),
    /** The storage works, with less speed or redundancy than it should have. */
    STORAGE_DEGRADED(1),
    /** The storage cannot be reached from this node. */
    STORAGE_UNREACHABLE(2);

    private final int number;

    Status(int number) {
      this.number = number;
    }

    /** Its number on the wire; zero for {@link #UNRECOGNIZED}. */
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

  /** Makes the texts fit to print; refuses a status that has another number. */
  public StorageHealthEntry {
    if (status != Status.ofNumber(number)) {
      throw new IllegalArgumentException(
          "The status " + status + " of a storage does not have the number " + number + ".");
    }
    message = SafeText.escape(message);
  }

  /** An entry whose status has this number on the wire. */
  public static StorageHealthEntry of(
      int number, HealthReason reason, String message, Optional<VolumeCapability> capability) {
    return new StorageHealthEntry(Status.ofNumber(number), number, reason, message, capability);
  }

  /** Returns the fault in words: its status, and its reason where there is one. */
  public String fault() {
    String told = status == Status.UNRECOGNIZED ? "status " + number : status.name();
    return reason.word().isEmpty() ? told : told + " (" + reason + ")";
  }
}
