package io.csi4j.volume.wire;

import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.wire.Envelopes;
import io.csi4j.volume.internal.wire.WireParts;
import io.csi4j.volume.internal.wire.WireSchema;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.wire.ClusterMessage.Kind;

/**
 * Converts values to messages and back. Each method has two forms: one form writes a message, and
 * the other form reads a message of the same kind.
 *
 * <pre>{@code
 * byte[] sent = Wire.grant(granted).encode(); // in a control plane
 *
 * ClaimGrant grant = Wire.grant(ClusterMessage.decode(sent)); // on a node
 * }</pre>
 *
 * <p>Methods that read throw a {@link io.csi4j.volume.model.WireException} if the message is of
 * another kind, if it has no valid value, or if it has a field that this version must understand
 * and does not ({@code MESSAGE_FROM_NEWER_VERSION}). Methods that write throw the same exception if
 * the message would be larger than {@link ClusterMessage#MAX_SIZE}, or would have more than 131,072
 * fields.
 *
 * @since 1.0
 */
public final class Wire {

  /** The kinds of {@link ClaimStanding}, with their names in {@code wire.proto}. */
  private enum Standing {
    CURRENT,
    STALE,
    LEAVING,
    MISSING,
    UNKNOWN
  }

  /** The kinds of {@link VolumeVerdict}, with their names in {@code wire.proto}. */
  private enum Verdict {
    PRESENT,
    GONE,
    UNKNOWN
  }

  private Wire() {}

  private static ClusterMessage written(Kind kind, FieldWriter body) {
    return ClusterMessage.decode(Envelopes.bytes(kind.name(), body));
  }

  private static <T> T read(ClusterMessage message, Kind kind, FieldReader.Fields<T> body) {
    return Envelopes.read(message.encode(), kind.name(), body);
  }

  /** Returns a message with a granted claim for the node of the claim. */
  public static ClusterMessage grant(ClaimGrant grant) {
    return written(Kind.CLAIM_GRANT, WireParts.grant(grant));
  }

  /** Reads a granted claim from a message. */
  public static ClaimGrant grant(ClusterMessage message) {
    return read(message, Kind.CLAIM_GRANT, WireParts::grant);
  }

  /** Returns a message with the proof of a node. */
  public static ClusterMessage receipt(NodeReceipt receipt) {
    return written(Kind.NODE_RECEIPT, WireParts.receipt(receipt));
  }

  /** Reads the proof of a node from a message. */
  public static NodeReceipt receipt(ClusterMessage message) {
    return read(message, Kind.NODE_RECEIPT, WireParts::receipt);
  }

  /** Returns a message with a node's query whether a claim is current. */
  public static ClusterMessage standingQuestion(ClaimQuestion question) {
    return written(Kind.STANDING_QUESTION, WireParts.question(question));
  }

  /** Reads a node's query whether a claim is current from a message. */
  public static ClaimQuestion standingQuestion(ClusterMessage message) {
    return read(message, Kind.STANDING_QUESTION, WireParts::question);
  }

  /** Returns a message with a node's query whether the volume of a claim exists. */
  public static ClusterMessage volumeQuestion(ClaimQuestion question) {
    return written(Kind.VOLUME_QUESTION, WireParts.question(question));
  }

  /** Reads a node's query whether the volume of a claim exists from a message. */
  public static ClaimQuestion volumeQuestion(ClusterMessage message) {
    return read(message, Kind.VOLUME_QUESTION, WireParts::question);
  }

  /** Returns a message with the answer whether a claim is current. */
  public static ClusterMessage standing(ClaimStanding standing) {
    FieldWriter out = new FieldWriter();
    if (standing instanceof ClaimStanding.Current) {
      standing(out, Standing.CURRENT);
    } else if (standing instanceof ClaimStanding.Stale stale) {
      standing(out, Standing.STALE).number(2, stale.epoch());
    } else if (standing instanceof ClaimStanding.Leaving) {
      standing(out, Standing.LEAVING);
    } else if (standing instanceof ClaimStanding.Missing) {
      standing(out, Standing.MISSING);
    } else if (standing instanceof ClaimStanding.Unknown unknown) {
      standing(out, Standing.UNKNOWN).text(3, unknown.because().text());
    }
    return written(Kind.CLAIM_STANDING, out);
  }

  private static FieldWriter standing(FieldWriter out, Standing standing) {
    return out.number(1, WireSchema.number("ClaimStanding.Standing", standing));
  }

  /** Reads the answer whether a claim is current from a message. */
  public static ClaimStanding standing(ClusterMessage message) {
    return read(message, Kind.CLAIM_STANDING, Wire::standing);
  }

  private static ClaimStanding standing(FieldReader in) throws MalformedRecordException {
    Standing standing = WireParts.needed(Standing.class, "ClaimStanding.Standing", in.number(1));
    long epoch = in.number(2);
    ReasonText because = new ReasonText(WireParts.shown(in.text(3)));
    return switch (standing) {
      case CURRENT -> new ClaimStanding.Current();
      case STALE -> new ClaimStanding.Stale(epoch);
      case LEAVING -> new ClaimStanding.Leaving();
      case MISSING -> new ClaimStanding.Missing();
      case UNKNOWN -> new ClaimStanding.Unknown(because);
    };
  }

  /** Returns a message with the answer whether a volume exists. */
  public static ClusterMessage verdict(VolumeVerdict verdict) {
    FieldWriter out = new FieldWriter();
    if (verdict instanceof VolumeVerdict.Present) {
      verdict(out, Verdict.PRESENT);
    } else if (verdict instanceof VolumeVerdict.Gone gone) {
      verdict(out, Verdict.GONE).part(2, WireParts.message(gone.message()));
    } else if (verdict instanceof VolumeVerdict.Unknown unknown) {
      verdict(out, Verdict.UNKNOWN).text(3, unknown.because().text());
    }
    return written(Kind.VOLUME_VERDICT, out);
  }

  private static FieldWriter verdict(FieldWriter out, Verdict verdict) {
    return out.number(1, WireSchema.number("VolumeVerdict.Verdict", verdict));
  }

  /** Reads the answer whether a volume exists from a message. */
  public static VolumeVerdict verdict(ClusterMessage message) {
    return read(message, Kind.VOLUME_VERDICT, Wire::verdict);
  }

  private static VolumeVerdict verdict(FieldReader in) throws MalformedRecordException {
    return switch (WireParts.needed(Verdict.class, "VolumeVerdict.Verdict", in.number(1))) {
      case PRESENT -> new VolumeVerdict.Present();
      case GONE -> new VolumeVerdict.Gone(in.required(2, WireParts::message));
      case UNKNOWN -> new VolumeVerdict.Unknown(new ReasonText(WireParts.shown(in.text(3))));
    };
  }

  /** Returns a message with the known faults of a volume. */
  public static ClusterMessage health(VolumeHealth health) {
    return written(Kind.VOLUME_HEALTH, WireParts.health(health));
  }

  /** Reads the known faults of a volume from a message. */
  public static VolumeHealth health(ClusterMessage message) {
    return read(message, Kind.VOLUME_HEALTH, WireParts::health);
  }

  /** Returns a message for a caller whose request failed. */
  public static ClusterMessage refusal(SentRefusal refusal) {
    return written(
        Kind.REFUSAL,
        new FieldWriter()
            .part(1, WireParts.message(refusal.message()))
            .number(2, WireSchema.number("Refusal.Outcome", refusal.outcome())));
  }

  /** Reads the failure of a request from a message. */
  public static SentRefusal refusal(ClusterMessage message) {
    return read(message, Kind.REFUSAL, Wire::refusal);
  }

  /**
   * Reads the failure of a request. An outcome that this version does not know counts as uncertain,
   * because it could mean anything.
   */
  private static SentRefusal refusal(FieldReader in) throws MalformedRecordException {
    return new SentRefusal(
        in.required(1, WireParts::message),
        WireParts.known(ChangeOutcome.class, "Refusal.Outcome", in.number(2))
            .orElse(ChangeOutcome.UNCERTAIN));
  }
}
