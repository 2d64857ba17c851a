package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * One thing that is wrong with a volume, in the plugin's judgement. For people and for policies of
 * a host: it does not say what has to be done.
 *
 * @param status how bad it is, if this library knows the number
 * @param number the status as it stands on the wire; zero if the plugin stated none
 * @param reason what kind of fault it is
 * @param message what is wrong, in the plugin's words: escaped and cut to 1 KiB
 * @since 1.0
 */
@Experimental
public record VolumeHealthEntry(Status status, int number, HealthReason reason, String message) {

  /** How a volume is not well. */
  public enum Status {
    /** A status that this library does not know. It is shown, and nothing depends on it. */
    UNRECOGNIZED(0),
    /** The volume works, with less speed or redundancy than it should have. */
    DEGRADED(1),
    /**
     * The data of the volume cannot be reached. A controller says so for every node, a node for
     * itself.
     */
    INACCESSIBLE(2),
    /** Data of the volume is lost. */
    DATA_LOSS(3);

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
  public VolumeHealthEntry {
    if (status != Status.ofNumber(number)) {
      throw new IllegalArgumentException(
          "The status " + status + " of a volume does not have the number " + number + ".");
    }
    message = SafeText.escape(message);
  }

  /** An entry whose status has this number on the wire. */
  public static VolumeHealthEntry of(int number, HealthReason reason, String message) {
    return new VolumeHealthEntry(Status.ofNumber(number), number, reason, message);
  }

  /** An entry of a status that this library knows. */
  public static VolumeHealthEntry of(Status status, HealthReason reason, String message) {
    return new VolumeHealthEntry(status, status.number(), reason, message);
  }

  /** Returns the fault in words: its status, and its reason where there is one. */
  public String fault() {
    String told = status == Status.UNRECOGNIZED ? "status " + number : status.name();
    return reason.word().isEmpty() ? told : told + " (" + reason + ")";
  }
}
