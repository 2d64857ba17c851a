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
 * A difference between a storage system and the claims.
 *
 * @since 1.0
 */
public sealed interface Drift {

  /** Returns the host's key of the volume. */
  VolumeKey volume();

  /** Returns the plugin's id of the volume. */
  VolumeId handle();

  /** Returns the message for an operator. */
  OperatorMessage message();

  /**
   * By its claim, the volume is attached to a node, and the storage system reports that it is not.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param holder the claim
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
              + "', but the storage system does not report that node");
    }
  }

  /**
   * The storage system has the volume attached to a node for which no claim is known.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param node the plugin's id of the node
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
          "it is attached to the plugin's node '" + node + "', for which there is no claim");
    }
  }

  /**
   * The storage system reports a fault of the volume. There is one finding for each fault.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param finding the fault
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

    /** Whether both describe the same fault of the same volume, regardless of the text. */
    boolean isSameFault(AbnormalVolume other) {
      return volume.equals(other.volume)
          && handle.equals(other.handle)
          && finding.entry().number() == other.finding.entry().number()
          && finding.entry().reason().equals(other.finding.entry().reason());
    }
  }

  /**
   * The claim of the volume cannot be read, so the state reported by the storage system cannot be
   * compared.
   *
   * @param volume the host's key of the volume
   * @param handle the plugin's id of the volume
   * @param problem why the claim cannot be read
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
