package io.csi4j.volume.internal.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ProtocolMessageEnum;
import com.google.protobuf.Timestamp;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.wire.proto.WireProto;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeHealth.Finding;
import io.csi4j.volume.model.VolumeHealth.Source;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Parts of messages, as values and as messages of protobuf. */
public final class WireParts {

  /** The largest part of a message for operators; each is made of a few texts of 1 KiB. */
  public static final int TEXT = 8 << 10;

  private WireParts() {}

  // ---- values that may be missing, or newer

  /** Returns a text, if it is there. */
  public static Optional<String> said(String text) {
    return Optional.of(text).filter(it -> !it.isEmpty());
  }

  /** Returns a time that has to be there. */
  public static Instant time(boolean isThere, Timestamp in) throws MalformedRecordException {
    if (!isThere) {
      throw new MalformedRecordException("a time is missing");
    }
    return StoredParts.time(in);
  }

  /** Returns the constant of the same name, if this version knows it. */
  public static <E extends Enum<E>> Optional<E> known(Class<E> type, ProtocolMessageEnum in) {
    return Stream.of(type.getEnumConstants())
        .filter(one -> one.name().equals(in.toString()))
        .findFirst();
  }

  /** Returns the constant of the same name, without which the message cannot be used. */
  public static <E extends Enum<E>> E needed(Class<E> type, ProtocolMessageEnum in, int number)
      throws MalformedRecordException {
    if (number == 0) {
      throw new MalformedRecordException("a value of " + type.getSimpleName() + " is missing");
    }
    return known(type, in)
        .orElseThrow(
            () ->
                Envelopes.newer(
                    "it has the value "
                        + number
                        + " of "
                        + type.getSimpleName()
                        + ", which this csi4j does not know"));
  }

  // ---- uses and claims

  public static WireProto.Use use(VolumeUse use) {
    return WireProto.Use.newBuilder()
        .setVolume(StoredParts.key(use.volume()))
        .setWorkload(use.workload().value())
        .build();
  }

  public static VolumeUse use(WireProto.Use in) {
    return VolumeUse.of(StoredParts.key(in.getVolume()), WorkloadId.of(in.getWorkload()));
  }

  /** Returns a way to use a volume, which names an access mode and says block or filesystem. */
  public static PartsProto.Capability capability(VolumeCapability capability) {
    if (!capability.accessMode().isStated()
        || capability.accessType() instanceof VolumeCapability.AccessType.Unspecified) {
      throw new IllegalArgumentException("A way to use a volume is left open: " + capability + ".");
    }
    return StoredParts.capability(capability);
  }

  public static VolumeCapability capability(PartsProto.Capability in)
      throws MalformedRecordException {
    if (in.getMode() == 0) {
      throw new MalformedRecordException("an access mode is missing");
    } else if (accessMode(in.getMode()).filter(AccessMode::isStated).isEmpty()) {
      throw Envelopes.newer(
          "it has the access mode "
              + Long.toUnsignedString(in.getMode())
              + ", which this csi4j does not know");
    }
    return StoredParts.capability(in);
  }

  /** Returns the access mode of this number, if this version knows it. */
  public static Optional<AccessMode> accessMode(long number) {
    return Stream.of(AccessMode.values())
        .filter(mode -> FieldWriter.number(mode) == number)
        .findFirst();
  }

  public static WireProto.ClaimGrant grant(ClaimGrant grant) {
    WireProto.ClaimGrant.Builder out =
        WireProto.ClaimGrant.newBuilder()
            .setUse(use(grant.usage()))
            .setNode(grant.node().value())
            .setEpoch(grant.epoch())
            .setMode(WireProto.ClaimMode.valueOf(grant.mode().name()))
            .addAllContext(StoredParts.entries(grant.context()))
            .setContextChanged(grant.contextChanged());
    grant.capability().ifPresent(each -> out.setCapability(capability(each)));
    return out.build();
  }

  public static ClaimGrant grant(WireProto.ClaimGrant in) throws MalformedRecordException {
    return new ClaimGrant(
        use(in.getUse()),
        NodeName.of(in.getNode()),
        in.getEpoch(),
        needed(ClaimMode.class, in.getMode(), in.getModeValue()),
        StoredParts.publishContext(in.getContextList()),
        in.hasCapability() ? Optional.of(capability(in.getCapability())) : Optional.empty(),
        in.getContextChanged());
  }

  public static WireProto.ClaimEpoch claim(ClaimEpoch claim) {
    return WireProto.ClaimEpoch.newBuilder()
        .setNode(claim.node().value())
        .setUse(use(claim.usage()))
        .setEpoch(claim.epoch())
        .build();
  }

  public static ClaimEpoch claim(WireProto.ClaimEpoch in) {
    return new ClaimEpoch(NodeName.of(in.getNode()), use(in.getUse()), in.getEpoch());
  }

  public static WireProto.NodeReceipt receipt(NodeReceipt receipt) {
    return WireProto.NodeReceipt.newBuilder()
        .setUse(use(receipt.usage()))
        .setEpoch(receipt.epoch())
        .setNode(receipt.node().value())
        .setBoot(receipt.boot())
        .addAllLooked(receipt.looked().stream().map(Path::toString).toList())
        .setStaging(WireProto.NodeReceipt.Staging.valueOf(receipt.staging().name()))
        .build();
  }

  public static NodeReceipt receipt(WireProto.NodeReceipt in) throws MalformedRecordException {
    return new NodeReceipt(
        use(in.getUse()),
        in.getEpoch(),
        NodeName.of(in.getNode()),
        in.getBoot(),
        in.getLookedList().stream().map(Path::of).toList(),
        needed(NodeReceipt.Staging.class, in.getStaging(), in.getStagingValue()));
  }

  // ---- secrets, which are sealed before they stand in a message

  /** Returns the bytes that are to be sealed. */
  public static byte[] secrets(Secrets secrets) {
    return WireProto.SecretEntries.newBuilder()
        .addAllEntry(StoredParts.entries(secrets))
        .build()
        .toByteArray();
  }

  /** Returns the secrets in bytes that were sealed. */
  public static Secrets secrets(byte[] opened) throws MalformedRecordException {
    try {
      return StoredParts.secrets(WireProto.SecretEntries.parseFrom(opened).getEntryList());
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedRecordException("the sealed bytes are no secrets");
    }
  }

  // ---- health

  public static WireProto.VolumeHealth health(VolumeHealth health) {
    WireProto.VolumeHealth.Builder out = WireProto.VolumeHealth.newBuilder();
    health.findings().forEach(each -> out.addFinding(finding(each)));
    return out.build();
  }

  public static VolumeHealth health(WireProto.VolumeHealth in) throws MalformedRecordException {
    List<Finding> findings = new ArrayList<>();
    for (WireProto.Finding each : in.getFindingList()) {
      findings.add(finding(each));
    }
    return new VolumeHealth(findings);
  }

  private static WireProto.Finding finding(Finding finding) {
    return WireProto.Finding.newBuilder()
        .setStatus(finding.entry().number())
        .setReason(finding.entry().reason().word())
        .setMessage(finding.entry().message())
        .setSource(WireProto.Finding.Source.valueOf(finding.source().kind().name()))
        .setNode(finding.source().node().map(NodeName::value).orElse(""))
        .setSince(StoredParts.time(finding.since()))
        .setAsOf(StoredParts.time(finding.asOf()))
        .build();
  }

  private static Finding finding(WireProto.Finding in) throws MalformedRecordException {
    return new Finding(
        VolumeHealthEntry.of(in.getStatus(), HealthReason.of(in.getReason()), in.getMessage()),
        new Source(
            needed(Source.Kind.class, in.getSource(), in.getSourceValue()),
            said(in.getNode()).map(NodeName::of)),
        time(in.hasSince(), in.getSince()),
        time(in.hasAsOf(), in.getAsOf()));
  }

  // ---- messages for operators

  public static WireProto.OperatorMessage message(OperatorMessage message) {
    return WireProto.OperatorMessage.newBuilder()
        .setCode(message.code().number())
        .setName(message.code().name())
        .setDoing(message.doing().text())
        .setSeen(message.seen().text())
        .setSafe(message.safe().text())
        .setNext(message.next().text())
        .build();
  }

  /** Returns the message, with the code for codes of newer versions if this version has none. */
  public static OperatorMessage message(WireProto.OperatorMessage in)
      throws MalformedRecordException {
    if (in.getCode() == 0) {
      throw new MalformedRecordException("a message for operators has no code");
    }
    Optional<OperatorCode> code =
        Stream.of(OperatorCode.values()).filter(it -> it.number() == in.getCode()).findFirst();
    OperatorMessage message =
        new OperatorMessage(
            code.orElse(OperatorCode.CODE_OF_NEWER_VERSION),
            part(in.getDoing()),
            part(in.getSeen()),
            part(in.getSafe()),
            part(in.getNext()));
    return code.isPresent()
        ? message
        : message.withSeen(
            ForeignText.of(
                "its code is CSI-" + Integer.toUnsignedString(in.getCode()) + " " + in.getName()));
  }

  private static Part part(String text) {
    return new Part(ForeignText.of(text, TEXT));
  }
}
