package io.csi4j.volume.upkeep;

import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;

/**
 * One thing in which a storage system and the claims do not agree.
 *
 * @since 1.0
 */
public sealed interface Drift {

  /** The volume, as the host names it. */
  VolumeKey volume();

  /** The volume, as the plugin names it. */
  VolumeId handle();

  /** Returns the message for an operator. */
  OperatorMessage message();

  /**
   * A claim says that the volume is attached to its node, and the storage system says it is not.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param holder whose claim it is
   */
  record LostAttachment(VolumeKey volume, VolumeId handle, ClaimHolder holder) implements Drift {

    /** Checks that all parts are set. */
    public LostAttachment {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(handle, "handle");
      Objects.requireNonNull(holder, "holder");
    }

    @Override
    public OperatorMessage message() {
      return told(
          this,
          OperatorCode.ATTACHMENT_LOST,
          "it is claimed by workload '"
              + holder.workload()
              + "' on node '"
              + holder.node()
              + "', and the storage system does not name that node");
    }
  }

  /**
   * The storage system has the volume attached to a node of which no claim is known.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param node the node, as the plugin names it
   */
  record UnknownAttachment(VolumeKey volume, VolumeId handle, NodeId node) implements Drift {

    /** Checks that all parts are set. */
    public UnknownAttachment {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(handle, "handle");
      Objects.requireNonNull(node, "node");
    }

    @Override
    public OperatorMessage message() {
      return told(
          this,
          OperatorCode.ATTACHMENT_UNKNOWN,
          "it is attached to the plugin's node '" + node + "', of which there is no claim");
    }
  }

  /**
   * The storage system says that something is wrong with the volume. One for each thing.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param finding what
   */
  record AbnormalVolume(VolumeKey volume, VolumeId handle, VolumeHealth.Finding finding)
      implements Drift {

    /** Checks that all parts are set. */
    public AbnormalVolume {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(handle, "handle");
      Objects.requireNonNull(finding, "finding");
    }

    @Override
    public OperatorMessage message() {
      String words = finding.entry().message();
      return told(
          this,
          OperatorCode.VOLUME_ABNORMAL,
          "the storage system says: "
              + finding.entry().fault()
              + (words.isEmpty() ? "" : ": '" + words + "'"));
    }

    /** Whether both tell of the same fault of the same volume, in whatever words. */
    boolean isSameFault(AbnormalVolume other) {
      return volume.equals(other.volume)
          && handle.equals(other.handle)
          && finding.entry().number() == other.finding.entry().number()
          && finding.entry().reason().equals(other.finding.entry().reason());
    }
  }

  /**
   * The claim of the volume cannot be read: what the storage system tells of the volume is compared
   * with nothing.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param problem what is wrong with the claim
   */
  record UnreadableClaim(VolumeKey volume, VolumeId handle, String problem) implements Drift {

    /** Checks that all parts are set. */
    public UnreadableClaim {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(handle, "handle");
      Objects.requireNonNull(problem, "problem");
    }

    @Override
    public OperatorMessage message() {
      return told(this, OperatorCode.CLAIM_UNREADABLE, problem);
    }
  }

  private static OperatorMessage told(Drift drift, OperatorCode code, String seen) {
    return Messages.of(
        code,
        Subject.of(
            "comparing volume '"
                + drift.handle()
                + "' ("
                + drift.volume()
                + ") with the storage system"),
        seen);
  }
}
