package io.csi4j.volume.internal.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.OperatorMessage.Part;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeHealth.Finding;
import io.csi4j.volume.model.VolumeHealth.Source;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Converts parts of messages between values and fields. The file {@code wire.proto} defines the
 * numbers of the fields. Fields are written and read in the order of their numbers. A part that
 * records also contain has the same encoding in messages and in records.
 */
public final class WireParts {

  /**
   * The maximum size of one text of an operator message. Such a text contains a few texts of up to
   * 1 KiB.
   */
  private static final int TEXT = 8 << 10;

  private static final int SECOND = 1_000_000_000;

  private WireParts() {}

  // ---- values that may be missing or newer

  /** Returns a text; empty if the text has no characters. */
  public static Optional<String> said(String text) {
    return Optional.of(text).filter(it -> !it.isEmpty());
  }

  /** Returns a text from a peer in a form for people, escaped to fit on one line. */
  public static String shown(String text) {
    return ForeignText.of(text, TEXT);
  }

  /** Returns the enum constant with a number; empty if this version does not know it. */
  public static <E extends Enum<E>> Optional<E> known(Class<E> type, String schema, long number)
      throws MalformedRecordException {
    if (number == 0) {
      throw new MalformedRecordException("a value of " + schema + " is missing");
    }
    Optional<String> name = WireSchema.name(schema, number);
    return Stream.of(type.getEnumConstants())
        .filter(one -> name.filter(one.name()::equals).isPresent())
        .findFirst();
  }

  /**
   * Returns the enum constant with a number. Rejects the message if this version does not know the
   * constant.
   */
  public static <E extends Enum<E>> E needed(Class<E> type, String schema, long number)
      throws MalformedRecordException {
    return known(type, schema, number)
        .orElseThrow(
            () ->
                Envelopes.newer(
                    "it has the value "
                        + Long.toUnsignedString(number)
                        + " of "
                        + schema
                        + ", which this csi4j does not know"));
  }

  /** Returns a time as a part of a message. */
  public static FieldWriter time(Instant time) {
    return new FieldWriter().number(1, time.getEpochSecond()).number(2, time.getNano());
  }

  public static Instant time(FieldReader in) throws MalformedRecordException {
    long seconds = in.number(1);
    long nanos = in.number(2);
    if (nanos < 0 || nanos >= SECOND) {
      throw new MalformedRecordException("a time has too many nanoseconds");
    }
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException e) {
      throw new MalformedRecordException("a time is beyond all times");
    }
  }

  // ---- parts that records also contain

  private static FieldWriter shared(Message part) {
    return new FieldWriter().fields(part.toByteArray());
  }

  private static <M extends Message> M shared(Parser<M> parser, FieldReader in)
      throws MalformedRecordException {
    try {
      return parser.parseFrom(in.rest(0).bytes());
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedRecordException("a part is not a protobuf message");
    }
  }

  public static FieldWriter key(VolumeKey key) {
    return shared(StoredParts.key(key));
  }

  public static VolumeKey key(FieldReader in) throws MalformedRecordException {
    return StoredParts.key(shared(PartsProto.VolumeKey.parser(), in));
  }

  public static FieldWriter range(CapacityRange range) {
    return shared(StoredParts.range(range));
  }

  public static CapacityRange range(FieldReader in) throws MalformedRecordException {
    return StoredParts.range(shared(PartsProto.Range.parser(), in));
  }

  public static FieldWriter place(Topology place) {
    return shared(StoredParts.places(List.of(place)).get(0));
  }

  public static Topology place(FieldReader in) throws MalformedRecordException {
    return StoredParts.places(List.of(shared(PartsProto.Place.parser(), in))).get(0);
  }

  /**
   * Returns a capability as a part of a message. Rejects a capability without an access mode or
   * access type.
   */
  public static FieldWriter capability(VolumeCapability capability) {
    if (!capability.accessMode().isStated()
        || capability.accessType() instanceof VolumeCapability.AccessType.Unspecified) {
      throw new IllegalArgumentException(
          "A capability lacks its access mode or access " + "type: " + capability + ".");
    }
    return shared(StoredParts.capability(capability));
  }

  public static VolumeCapability capability(FieldReader in) throws MalformedRecordException {
    PartsProto.Capability capability = shared(PartsProto.Capability.parser(), in);
    if (capability.getMode() == 0) {
      throw new MalformedRecordException("an access mode is missing");
    } else if (accessMode(capability.getMode()).filter(AccessMode::isStated).isEmpty()) {
      throw Envelopes.newer(
          "it has the access mode "
              + Long.toUnsignedString(capability.getMode())
              + ", which this csi4j does not know");
    }
    return StoredParts.capability(capability);
  }

  /** Returns the access mode with this CSI number; empty if this version does not know it. */
  public static Optional<AccessMode> accessMode(long number) {
    return Stream.of(AccessMode.values())
        .filter(mode -> FieldWriter.number(mode) == number)
        .findFirst();
  }

  private static FieldWriter entries(FieldWriter out, int field, List<PartsProto.Entry> entries) {
    entries.forEach(entry -> out.part(field, shared(entry)));
    return out;
  }

  private static List<PartsProto.Entry> entries(FieldReader in, int field)
      throws MalformedRecordException {
    return in.parts(field, part -> shared(PartsProto.Entry.parser(), part));
  }

  /** Writes the entries of a map. */
  public static FieldWriter entries(FieldWriter out, int field, Map<String, String> entries) {
    return entries(out, field, StoredParts.entries(entries));
  }

  public static Map<String, String> map(FieldReader in, int field) throws MalformedRecordException {
    return StoredParts.entries(entries(in, field));
  }

  /** Writes the publish context of an attachment. */
  public static FieldWriter context(FieldWriter out, int field, PublishContext context) {
    return entries(out, field, StoredParts.entries(context));
  }

  public static PublishContext publishContext(FieldReader in, int field)
      throws MalformedRecordException {
    return StoredParts.publishContext(entries(in, field));
  }

  /** Writes the context of a volume. */
  public static FieldWriter context(FieldWriter out, int field, VolumeContext context) {
    return entries(out, field, StoredParts.entries(context));
  }

  public static VolumeContext volumeContext(FieldReader in, int field)
      throws MalformedRecordException {
    return StoredParts.volumeContext(entries(in, field));
  }

  /**
   * Returns the encoded secrets. The caller must encrypt them before they become part of a message.
   */
  public static byte[] secrets(Secrets secrets) {
    return entries(new FieldWriter(), 1, StoredParts.entries(secrets)).bytes();
  }

  /** Returns the secrets from bytes that the caller has decrypted. */
  public static Secrets secrets(byte[] opened) throws MalformedRecordException {
    return StoredParts.secrets(entries(FieldReader.passingOverNewer(opened), 1));
  }

  // ---- uses and claims

  public static FieldWriter use(VolumeUse use) {
    return new FieldWriter().part(1, key(use.volume())).text(2, use.workload().value());
  }

  public static VolumeUse use(FieldReader in) throws MalformedRecordException {
    return VolumeUse.of(in.required(1, WireParts::key), WorkloadId.of(in.text(2)));
  }

  public static FieldWriter grant(ClaimGrant grant) {
    FieldWriter out =
        new FieldWriter()
            .part(1, use(grant.usage()))
            .text(2, grant.node().value())
            .number(3, grant.epoch())
            .number(4, WireSchema.number("ClaimMode", grant.mode()));
    context(out, 5, grant.context());
    grant.capability().ifPresent(each -> out.part(6, capability(each)));
    return out.flag(7, grant.contextChanged());
  }

  public static ClaimGrant grant(FieldReader in) throws MalformedRecordException {
    return new ClaimGrant(
        in.required(1, WireParts::use),
        NodeName.of(in.text(2)),
        in.number(3),
        needed(ClaimMode.class, "ClaimMode", in.number(4)),
        publishContext(in, 5),
        in.part(6, WireParts::capability),
        in.flag(7));
  }

  public static FieldWriter claim(ClaimEpoch claim) {
    return new FieldWriter()
        .text(1, claim.node().value())
        .part(2, use(claim.usage()))
        .number(3, claim.epoch());
  }

  public static ClaimEpoch claim(FieldReader in) throws MalformedRecordException {
    return new ClaimEpoch(NodeName.of(in.text(1)), in.required(2, WireParts::use), in.number(3));
  }

  public static FieldWriter question(ClaimQuestion question) {
    return claim(question.claim()).text(4, question.cluster().orElse(""));
  }

  public static ClaimQuestion question(FieldReader in) throws MalformedRecordException {
    return new ClaimQuestion(claim(in), said(in.text(4)));
  }

  public static FieldWriter receipt(NodeReceipt receipt) {
    FieldWriter out =
        new FieldWriter()
            .part(1, use(receipt.usage()))
            .number(2, receipt.epoch())
            .text(3, receipt.node().value())
            .text(4, receipt.boot());
    receipt.looked().forEach(path -> out.text(5, path.toString()));
    return out.number(6, WireSchema.number("NodeReceipt.Staging", receipt.staging()));
  }

  public static NodeReceipt receipt(FieldReader in) throws MalformedRecordException {
    return new NodeReceipt(
        in.required(1, WireParts::use),
        in.number(2),
        NodeName.of(in.text(3)),
        in.text(4),
        in.texts(5).stream().map(Path::of).toList(),
        needed(NodeReceipt.Staging.class, "NodeReceipt.Staging", in.number(6)));
  }

  // ---- health

  public static FieldWriter health(VolumeHealth health) {
    FieldWriter out = new FieldWriter();
    health.findings().forEach(each -> out.part(1, finding(each)));
    return out;
  }

  public static VolumeHealth health(FieldReader in) throws MalformedRecordException {
    return new VolumeHealth(in.parts(1, WireParts::finding));
  }

  private static FieldWriter finding(Finding finding) {
    return new FieldWriter()
        .number(1, finding.entry().number())
        .text(2, finding.entry().reason().word())
        .text(3, finding.entry().message())
        .number(4, WireSchema.number("Finding.Source", finding.source().kind()))
        .text(5, finding.source().node().map(NodeName::value).orElse(""))
        .part(6, time(finding.since()))
        .part(7, time(finding.asOf()));
  }

  private static Finding finding(FieldReader in) throws MalformedRecordException {
    return new Finding(
        VolumeHealthEntry.of((int) in.number(1), HealthReason.of(in.text(2)), in.text(3)),
        new Source(
            needed(Source.Kind.class, "Finding.Source", in.number(4)),
            said(in.text(5)).map(NodeName::of)),
        in.required(6, WireParts::time),
        in.required(7, WireParts::time));
  }

  // ---- messages for operators

  public static FieldWriter message(OperatorMessage message) {
    return new FieldWriter()
        .number(1, message.code().number())
        .text(2, message.code().name())
        .text(3, message.doing().text())
        .text(4, message.seen().text())
        .text(5, message.safe().text())
        .text(6, message.next().text());
  }

  /**
   * Returns an operator message. If this version does not know its code, the message has the code
   * {@link OperatorCode#CODE_OF_NEWER_VERSION}.
   */
  public static OperatorMessage message(FieldReader in) throws MalformedRecordException {
    long number = in.number(1);
    String name = in.text(2);
    Optional<OperatorCode> code =
        Stream.of(OperatorCode.values()).filter(it -> it.number() == number).findFirst();
    if (number == 0) {
      throw new MalformedRecordException("a message for operators has no code");
    }
    List<Part> parts = new ArrayList<>();
    for (int field = 3; field <= 6; field++) {
      parts.add(new Part(shown(in.text(field))));
    }
    OperatorMessage message =
        new OperatorMessage(
            code.orElse(OperatorCode.CODE_OF_NEWER_VERSION),
            parts.get(0),
            parts.get(1),
            parts.get(2),
            parts.get(3));
    return code.isPresent()
        ? message
        : message.withSeen(
            ForeignText.of("its code is CSI-" + Long.toUnsignedString(number) + " " + name));
  }
}
