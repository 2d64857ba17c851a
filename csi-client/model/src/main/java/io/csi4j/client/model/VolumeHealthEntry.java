package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * A health problem of a volume, as assessed by the plugin. Meant for display and for policies of
 * the host: the entry does not prescribe an action.
 *
 * @param status the severity, if this library knows the number
 * @param number the number of the status on the wire; zero if the plugin set none
 * @param reason the kind of problem
 * @param message the description by the plugin, escaped and cut to 1 KiB
 * @since 1.0
 */
@Experimental
public record VolumeHealthEntry(Status status, int number, HealthReason reason, String message) {

  /** The kinds of health problems. */
  public enum Status {
    /** A status that this library does not know. The library only displays this status. */
    UNRECOGNIZED(0),
    /** The volume works, but with less speed or redundancy than intended. */
    DEGRADED(1),
    /**
     * The data of the volume is inaccessible. From a controller this applies to every node; from a
     * node, only to this node.
     */
    INACCESSIBLE(2),
    /** Data of the volume has been lost. */
    DATA_LOSS(3);

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
  public VolumeHealthEntry {
    if (status != Status.ofNumber(number)) {
      throw new IllegalArgumentException(
          "The status " + status + " of a volume does not have the number " + number + ".");
    }
    message = SafeText.escape(message);
  }

  /** Returns an entry whose status has this number on the wire. */
  public static VolumeHealthEntry of(int number, HealthReason reason, String message) {
    return new VolumeHealthEntry(Status.ofNumber(number), number, reason, message);
  }

  /** Returns an entry with a status that this library knows. */
  public static VolumeHealthEntry of(Status status, HealthReason reason, String message) {
    return new VolumeHealthEntry(status, status.number(), reason, message);
  }

  /** Returns a description of the problem: its status, and its reason if there is one. */
  public String fault() {
    String told = status == Status.UNRECOGNIZED ? "status " + number : status.name();
    return reason.word().isEmpty() ? told : told + " (" + reason + ")";
  }
}
