package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Attachment;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.claim.NodeAttachment;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.internal.fields.ContextFields;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.SensitiveFields;
import io.csi4j.volume.internal.fields.TimeCodec;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.Clause;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The form of claims in the stores that keep them as bytes, in the way of {@code RecordCodec}. The
 * publish context and the mount flags of a holder are in it, secrets are not.
 *
 * <pre>
 * claim       1 format  2 volume  3 mark  4 version  5 epoch  6 use  7 holder...
 *             8 exhausted until  9 override...  10... newer fields
 * volume      1 namespace  2 id
 * mark        1 and 2 the halves of a UUID
 * use         1 access mode  2 attachment
 * holder      1 workload  2 node  3 its id  4 mode  5 state  6 epoch  7 since  8 attached
 *             9 options, of format 2
 * attached    1 how far  2 context...
 * context     1 key  2 value
 * options     1 filesystem  2 flags  3 group
 * override    1 workload  2 node  3 epoch  4 person  5 reason  6 when
 * identity    1 format  2 text
 * </pre>
 *
 * Equal claims have equal bytes, and a claim has no other bytes than those. A newer version may add
 * fields to a claim; a new field in a part needs a new format, which this version refuses to read.
 * A claim has the lowest format that it fits in: 2 if a holder's mount options are known, else 1.
 */
public final class ClaimCodec {

  /** The most bytes of a claim, in every store. */
  public static final int MAX_SIZE = StateValue.MAX_SIZE;

  private static final int FORMAT = 1;

  /** Of claims with a holder whose mount options are known. */
  private static final int FORMAT_WITH_OPTIONS = 2;

  private ClaimCodec() {}

  /**
   * The bytes of a claim.
   *
   * @throws ClaimStoreException {@link Reason#TOO_LARGE} when there are more than {@link #MAX_SIZE}
   */
  public static byte[] encode(ClaimRecord record) {
    Claim claim = record.claim();
    UUID mark = record.by().value();
    FieldWriter out =
        new FieldWriter()
            .number(1, format(claim.holders().values()))
            .part(2, volume(claim.volume()))
            .part(
                3,
                new FieldWriter()
                    .number(1, mark.getMostSignificantBits())
                    .number(2, mark.getLeastSignificantBits()))
            .number(4, record.version().value())
            .number(5, claim.epoch());
    claim
        .use()
        .ifPresent(
            use ->
                out.part(
                    6,
                    new FieldWriter()
                        .number(1, FieldWriter.number(use.mode()))
                        .number(2, number(use.attachment()))));
    claim.holders().values().forEach(holder -> out.part(7, holder(holder)));
    claim.exhaustedUntil().ifPresent(until -> out.part(8, TimeCodec.encode(until)));
    claim.overrides().forEach(override -> out.part(9, override(override)));
    byte[] bytes = out.fields(record.unknown().bytes()).bytes();
    if (bytes.length > MAX_SIZE) {
      throw new ClaimStoreException(
          Reason.TOO_LARGE,
          "Writing the claim of volume '"
              + ForeignText.of(claim.volume().toString())
              + "' failed: with "
              + claim.holders().size()
              + " holders it takes "
              + bytes.length
              + " bytes, and at most "
              + MAX_SIZE
              + " are kept. Let fewer workloads hold it at a time, or use shorter names.");
    }
    return bytes;
  }

  /** The claim in these bytes. */
  public static ClaimRecord decode(byte[] bytes) throws MalformedRecordException {
    FieldReader in = new FieldReader(bytes);
    int format = in.format(FORMAT_WITH_OPTIONS);
    VolumeKey volume = volume(in.required(2));
    WriteToken by = mark(in.required(3));
    long number = in.number(4);
    ClaimVersion version = FieldReader.checked("version", () -> new ClaimVersion(number));
    long epoch = in.number(5);
    Optional<FieldReader> usePart = in.part(6);
    Optional<Claim.Use> use =
        usePart.isEmpty() ? Optional.empty() : Optional.of(use(usePart.get()));
    SortedMap<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    for (Optional<FieldReader> part = in.part(7); part.isPresent(); part = in.part(7)) {
      ClaimHolder holder = holder(part.get(), format);
      if (!holders.isEmpty() && holders.lastKey().compareTo(holder.workload()) >= 0) {
        throw new MalformedRecordException("The holders are not in order, or one is there twice.");
      }
      holders.put(holder.workload(), holder);
    }
    if (format != format(holders.values())) {
      throw new MalformedRecordException(
          "It has format " + format + ", and nothing that needs it.");
    }
    Optional<FieldReader> untilPart = in.part(8);
    Optional<Instant> until =
        untilPart.isEmpty() ? Optional.empty() : Optional.of(TimeCodec.instant(untilPart.get()));
    List<ClaimOverride> overrides = new ArrayList<>();
    for (Optional<FieldReader> part = in.part(9); part.isPresent(); part = in.part(9)) {
      overrides.add(override(part.get()));
    }
    if (overrides.size() > Claim.OVERRIDES) {
      throw new MalformedRecordException("There are more overrides than are kept.");
    }
    UnknownFields unknown = in.rest(9);
    Claim claim =
        FieldReader.checked(
            "claim", () -> new Claim(volume, use, holders, epoch, until, overrides));
    return new ClaimRecord(claim, by, version, unknown);
  }

  /**
   * Returns the failure of a store that holds such bytes.
   *
   * @param what whose bytes they are, as a phrase such as {@code the claim of volume 'a/b'}
   */
  public static ClaimStoreException unreadable(String what, MalformedRecordException cause) {
    return new ClaimStoreException(
        Reason.UNREADABLE,
        "Reading "
            + ForeignText.of(what)
            + " failed: "
            + cause.getMessage()
            + " Run the version of csi4j that wrote it, or a later one.",
        cause);
  }

  /** The bytes of the identity of a store. */
  public static byte[] encode(StoreIdentity identity) {
    return new FieldWriter().number(1, FORMAT).text(2, identity.value()).bytes();
  }

  /** The identity in these bytes. */
  public static StoreIdentity decodeIdentity(byte[] bytes) throws MalformedRecordException {
    FieldReader in = new FieldReader(bytes);
    in.format(1);
    String value = in.text(2);
    in.end();
    return FieldReader.checked("identity", () -> new StoreIdentity(value));
  }

  // ---- writing

  private static FieldWriter volume(VolumeKey volume) {
    return new FieldWriter().text(1, volume.namespace().value()).text(2, volume.id());
  }

  private static int format(Collection<ClaimHolder> holders) {
    return holders.stream().anyMatch(holder -> holder.options().isPresent())
        ? FORMAT_WITH_OPTIONS
        : FORMAT;
  }

  private static FieldWriter holder(ClaimHolder holder) {
    FieldWriter out =
        new FieldWriter()
            .text(1, holder.workload().value())
            .text(2, holder.node().value())
            .text(3, holder.nodeId().map(NodeId::value).orElse(""))
            .number(4, number(holder.mode()))
            .number(5, number(holder.state()))
            .number(6, holder.epoch())
            .part(7, TimeCodec.encode(holder.since()))
            .part(8, attached(holder.attachment()));
    holder.options().ifPresent(options -> out.part(9, options(options)));
    return out;
  }

  private static FieldWriter options(MountOptions options) {
    FieldWriter out = new FieldWriter().text(1, options.fsType().orElse(""));
    options.flags().ifPresent(flags -> SensitiveFields.flags(out, 2, flags));
    return out.text(3, options.volumeMountGroup().orElse(""));
  }

  private static FieldWriter override(ClaimOverride override) {
    return new FieldWriter()
        .text(1, override.workload().value())
        .text(2, override.node().value())
        .number(3, override.epoch())
        .text(4, override.person().name())
        .text(5, override.reason().text())
        .part(6, TimeCodec.encode(override.at()));
  }

  private static FieldWriter attached(NodeAttachment attachment) {
    FieldWriter out = new FieldWriter();
    if (attachment instanceof NodeAttachment.NotNeeded) {
      return out.number(1, NOT_NEEDED);
    }
    if (attachment instanceof NodeAttachment.Attached attached) {
      ContextFields.encode(attached.context(), 2, out.number(1, ATTACHED));
      return out;
    }
    return out.number(1, IN_DOUBT);
  }

  // ---- reading

  private static VolumeKey volume(FieldReader in) throws MalformedRecordException {
    String namespace = in.text(1);
    String id = in.text(2);
    in.end();
    return FieldReader.checked("volume", () -> VolumeKey.of(Namespace.of(namespace), id));
  }

  private static WriteToken mark(FieldReader in) throws MalformedRecordException {
    WriteToken mark = new WriteToken(new UUID(in.number(1), in.number(2)));
    in.end();
    return mark;
  }

  private static Claim.Use use(FieldReader in) throws MalformedRecordException {
    var mode = FieldReader.accessMode(in.number(1));
    Attachment attachment =
        FieldReader.named("attachment", Attachment.values(), ClaimCodec::number, in.number(2));
    in.end();
    return FieldReader.checked("use", () -> new Claim.Use(mode, attachment));
  }

  private static ClaimHolder holder(FieldReader in, int format) throws MalformedRecordException {
    String workload = in.text(1);
    String node = in.text(2);
    String nodeId = in.text(3);
    ClaimMode mode =
        FieldReader.named("mode", ClaimMode.values(), ClaimCodec::number, in.number(4));
    ClaimState state =
        FieldReader.named("state", ClaimState.values(), ClaimCodec::number, in.number(5));
    long epoch = in.number(6);
    Instant since = TimeCodec.instant(in.required(7));
    NodeAttachment attachment = attached(in.required(8));
    Optional<FieldReader> part =
        format == FORMAT_WITH_OPTIONS ? in.part(9) : Optional.<FieldReader>empty();
    Optional<MountOptions> options =
        part.isEmpty() ? Optional.empty() : Optional.of(options(part.get()));
    in.end();
    return FieldReader.checked(
        "holder",
        () ->
            new ClaimHolder(
                WorkloadId.of(workload),
                NodeName.of(node),
                nodeId.isEmpty() ? Optional.empty() : Optional.of(NodeId.of(nodeId)),
                mode,
                state,
                epoch,
                since,
                attachment,
                options));
  }

  private static MountOptions options(FieldReader in) throws MalformedRecordException {
    String type = in.text(1);
    Optional<MountFlags> flags = SensitiveFields.flags(in, 2);
    String group = in.text(3);
    in.end();
    return new MountOptions(Optional.of(type), flags, Optional.of(group));
  }

  private static ClaimOverride override(FieldReader in) throws MalformedRecordException {
    String workload = in.text(1);
    String node = in.text(2);
    long epoch = in.number(3);
    String person = in.text(4);
    String reason = in.text(5);
    Instant at = TimeCodec.instant(in.required(6));
    in.end();
    return FieldReader.checked(
        "override",
        () ->
            new ClaimOverride(
                WorkloadId.of(workload),
                NodeName.of(node),
                epoch,
                new ClaimOverride.Person(person),
                new Clause(reason),
                at));
  }

  private static NodeAttachment attached(FieldReader in) throws MalformedRecordException {
    long how = in.number(1);
    NodeAttachment attachment;
    if (how == NOT_NEEDED) {
      attachment = new NodeAttachment.NotNeeded();
    } else if (how == IN_DOUBT) {
      attachment = new NodeAttachment.InDoubt();
    } else if (how == ATTACHED) {
      attachment = new NodeAttachment.Attached(ContextFields.decode(in, 2));
    } else {
      throw new MalformedRecordException(
          "How far it is attached, " + Long.toUnsignedString(how) + ", is not known.");
    }
    in.end();
    return attachment;
  }

  // ---- numbers, for ever

  private static final int NOT_NEEDED = 1;
  private static final int IN_DOUBT = 2;
  private static final int ATTACHED = 3;

  private static int number(Attachment attachment) {
    return switch (attachment) {
      case FILESYSTEM -> 1;
      case BLOCK_DEVICE -> 2;
    };
  }

  private static int number(ClaimMode mode) {
    return switch (mode) {
      case READ -> 1;
      case WRITE -> 2;
    };
  }

  private static int number(ClaimState state) {
    return switch (state) {
      case TAKEN -> 1;
      case UNPUBLISHING -> 2;
      case NODE_DETACHED -> 3;
      case CONTROLLER_DETACHED -> 4;
      case READY_TO_FREE -> 5;
    };
  }
}
