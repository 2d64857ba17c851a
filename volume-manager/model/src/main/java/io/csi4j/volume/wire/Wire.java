package io.csi4j.volume.wire;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.internal.wire.proto.WireProto;
import io.csi4j.volume.internal.wire.proto.WireProto.Envelope;
import io.csi4j.volume.internal.wire.proto.WireProto.Envelope.BodyCase;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeVerdict;

/**
 * Values as messages, and back. Each method has two forms: one writes a message, the other reads
 * one of its kind.
 *
 * <pre>{@code
 * byte[] sent = Wire.grant(granted).encode(); // in a control plane
 *
 * ClaimGrant grant = Wire.grant(ClusterMessage.decode(sent)); // on a node
 * }</pre>
 *
 * <p>A method that reads throws a {@link io.csi4j.volume.model.WireException} for a message of
 * another kind, for one without a valid value, and for one with something that this version would
 * have to know ({@code MESSAGE_FROM_NEWER_VERSION}). One that writes throws it for a message that
 * would be larger than {@link ClusterMessage#MAX_SIZE}.
 *
 * @since 1.0
 */
public final class Wire {

  private Wire() {}

  private static ClusterMessage written(Envelope.Builder out) {
    return ClusterMessage.decode(Envelopes.bytes(out));
  }

  /** Returns a message for the node that was granted a claim. */
  public static ClusterMessage grant(ClaimGrant grant) {
    return written(Envelope.newBuilder().setClaimGrant(WireParts.grant(grant)));
  }

  /** Returns the claim that was granted. */
  public static ClaimGrant grant(ClusterMessage message) {
    return Envelopes.read(
        message.encode(), BodyCase.CLAIM_GRANT, in -> WireParts.grant(in.getClaimGrant()));
  }

  /** Returns a message with the proof of a node. */
  public static ClusterMessage receipt(NodeReceipt receipt) {
    return written(Envelope.newBuilder().setNodeReceipt(WireParts.receipt(receipt)));
  }

  /** Returns the proof of a node. */
  public static NodeReceipt receipt(ClusterMessage message) {
    return Envelopes.read(
        message.encode(), BodyCase.NODE_RECEIPT, in -> WireParts.receipt(in.getNodeReceipt()));
  }

  /** Returns the question of a node whether a claim is current. */
  public static ClusterMessage standingQuestion(ClaimEpoch claim) {
    return written(Envelope.newBuilder().setStandingQuestion(WireParts.claim(claim)));
  }

  /** Returns the claim that a node asks about. */
  public static ClaimEpoch standingQuestion(ClusterMessage message) {
    return Envelopes.read(
        message.encode(),
        BodyCase.STANDING_QUESTION,
        in -> WireParts.claim(in.getStandingQuestion()));
  }

  /** Returns the question of a node whether the volume of a claim exists. */
  public static ClusterMessage volumeQuestion(ClaimEpoch claim) {
    return written(Envelope.newBuilder().setVolumeQuestion(WireParts.claim(claim)));
  }

  /** Returns the claim whose volume a node asks about. */
  public static ClaimEpoch volumeQuestion(ClusterMessage message) {
    return Envelopes.read(
        message.encode(), BodyCase.VOLUME_QUESTION, in -> WireParts.claim(in.getVolumeQuestion()));
  }

  /** Returns a message with whether a claim is current. */
  public static ClusterMessage standing(ClaimStanding standing) {
    WireProto.ClaimStanding.Builder out = WireProto.ClaimStanding.newBuilder();
    if (standing instanceof ClaimStanding.Current) {
      out.setStanding(WireProto.ClaimStanding.Standing.CURRENT);
    } else if (standing instanceof ClaimStanding.Stale stale) {
      out.setStanding(WireProto.ClaimStanding.Standing.STALE).setEpoch(stale.epoch());
    } else if (standing instanceof ClaimStanding.Leaving) {
      out.setStanding(WireProto.ClaimStanding.Standing.LEAVING);
    } else if (standing instanceof ClaimStanding.Missing) {
      out.setStanding(WireProto.ClaimStanding.Standing.MISSING);
    } else if (standing instanceof ClaimStanding.Unknown unknown) {
      out.setStanding(WireProto.ClaimStanding.Standing.UNKNOWN)
          .setBecause(unknown.because().text());
    }
    return written(Envelope.newBuilder().setClaimStanding(out));
  }

  /** Returns whether a claim is current. */
  public static ClaimStanding standing(ClusterMessage message) {
    return Envelopes.read(
        message.encode(), BodyCase.CLAIM_STANDING, in -> standing(in.getClaimStanding()));
  }

  private static ClaimStanding standing(WireProto.ClaimStanding in)
      throws MalformedRecordException {
    return switch (in.getStanding()) {
      case CURRENT -> new ClaimStanding.Current();
      case STALE -> new ClaimStanding.Stale(in.getEpoch());
      case LEAVING -> new ClaimStanding.Leaving();
      case MISSING -> new ClaimStanding.Missing();
      case UNKNOWN -> new ClaimStanding.Unknown(new ReasonText(in.getBecause()));
      case NO_STANDING -> throw new MalformedRecordException("the standing of a claim is missing");
      case UNRECOGNIZED ->
          throw Envelopes.newer(
              "it has the standing "
                  + in.getStandingValue()
                  + " of a claim, which this csi4j does not know");
    };
  }

  /** Returns a message with the answer whether a volume exists. */
  public static ClusterMessage verdict(VolumeVerdict verdict) {
    WireProto.VolumeVerdict.Builder out = WireProto.VolumeVerdict.newBuilder();
    if (verdict instanceof VolumeVerdict.Present) {
      out.setVerdict(WireProto.VolumeVerdict.Verdict.PRESENT);
    } else if (verdict instanceof VolumeVerdict.Gone gone) {
      out.setVerdict(WireProto.VolumeVerdict.Verdict.GONE)
          .setMessage(WireParts.message(gone.message()));
    } else if (verdict instanceof VolumeVerdict.Unknown unknown) {
      out.setVerdict(WireProto.VolumeVerdict.Verdict.UNKNOWN).setBecause(unknown.because().text());
    }
    return written(Envelope.newBuilder().setVolumeVerdict(out));
  }

  /** Returns the answer whether a volume exists. */
  public static VolumeVerdict verdict(ClusterMessage message) {
    return Envelopes.read(
        message.encode(), BodyCase.VOLUME_VERDICT, in -> verdict(in.getVolumeVerdict()));
  }

  private static VolumeVerdict verdict(WireProto.VolumeVerdict in) throws MalformedRecordException {
    return switch (in.getVerdict()) {
      case PRESENT -> new VolumeVerdict.Present();
      case GONE -> new VolumeVerdict.Gone(WireParts.message(in.getMessage()));
      case UNKNOWN -> new VolumeVerdict.Unknown(new ReasonText(in.getBecause()));
      case NO_VERDICT -> throw new MalformedRecordException("the verdict on a volume is missing");
      case UNRECOGNIZED ->
          throw Envelopes.newer(
              "it has the verdict "
                  + in.getVerdictValue()
                  + " on a volume, which this csi4j does not know");
    };
  }

  /** Returns a message with the known faults of a volume. */
  public static ClusterMessage health(VolumeHealth health) {
    return written(Envelope.newBuilder().setVolumeHealth(WireParts.health(health)));
  }

  /** Returns the known faults of a volume. */
  public static VolumeHealth health(ClusterMessage message) {
    return Envelopes.read(
        message.encode(), BodyCase.VOLUME_HEALTH, in -> WireParts.health(in.getVolumeHealth()));
  }

  /** Returns a message for a caller whose request was not met. */
  public static ClusterMessage refusal(Refusal refusal) {
    return written(
        Envelope.newBuilder()
            .setRefusal(
                WireProto.Refusal.newBuilder()
                    .setMessage(WireParts.message(refusal.message()))
                    .setOutcome(WireProto.Refusal.Outcome.valueOf(refusal.outcome().name()))));
  }

  /** Returns why a request was not met. */
  public static Refusal refusal(ClusterMessage message) {
    return Envelopes.read(message.encode(), BodyCase.REFUSAL, in -> refusal(in.getRefusal()));
  }

  /** An outcome that this version does not know may be any, so nothing was settled. */
  private static Refusal refusal(WireProto.Refusal in) throws MalformedRecordException {
    if (in.getOutcome() == WireProto.Refusal.Outcome.NO_OUTCOME) {
      throw new MalformedRecordException("the outcome of a refusal is missing");
    }
    return new Refusal(
        WireParts.message(in.getMessage()),
        WireParts.known(ChangeOutcome.class, in.getOutcome()).orElse(ChangeOutcome.UNCERTAIN));
  }
}
