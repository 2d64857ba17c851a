package io.csi4j.volume.internal.claims;

import io.csi4j.client.model.NodeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimOverride;
import io.csi4j.volume.internal.claims.proto.ClaimProto;
import io.csi4j.volume.internal.fields.FieldReader;
import io.csi4j.volume.internal.fields.FieldWriter;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Encodes claims for a store, as the messages that {@code state.proto} defines and documents. The
 * encoding is canonical: equal claims with equal marks have equal bytes.
 */
public final class ClaimCodec implements ValueCodec<Claim> {

  /** The maximum size of an encoded claim in every store, in bytes. */
  public static final int MAX_SIZE = StateValue.MAX_SIZE;

  private static final int FORMAT = 1;

  /** The format of claims that have a holder with known mount options. */
  private static final int FORMAT_WITH_OPTIONS = 2;

  /** The format of claims that have a holder with facts for the plugin. */
  private static final int FORMAT_WITH_FACTS = 3;

  /** Creates the codec. */
  public ClaimCodec() {}

  /** Returns the key of the claim of a volume. */
  public static RecordKey key(VolumeKey volume) {
    return RecordKey.of(RecordKey.Space.CLAIMS, volume);
  }

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.CLAIMS;
  }

  @Override
  public RecordKey key(Claim claim) {
    return key(claim.volume());
  }

  @Override
  public String named(RecordKey key) {
    return "the claim "
        + key.volume()
            .map(volume -> "of volume '" + volume + "'")
            .orElseGet(() -> "under the key '" + key.name() + "'");
  }

  /**
   * Returns false, because a claim without holders must keep its epoch, so that later epochs are
   * higher.
   */
  @Override
  public boolean removes() {
    return false;
  }

  @Override
  public byte[] encode(Claim claim, UUID mark, UnknownFields newer) {
    ClaimProto.Claim.Builder out =
        ClaimProto.Claim.newBuilder()
            .setFormat(format(claim.holders().values()))
            .setVolume(StoredParts.key(claim.volume()))
            .setMark(
                ClaimProto.Mark.newBuilder()
                    .setMost(mark.getMostSignificantBits())
                    .setLeast(mark.getLeastSignificantBits()))
            .setEpoch(claim.epoch());
    claim
        .use()
        .ifPresent(
            use ->
                out.setUse(
                    ClaimProto.Use.newBuilder()
                        .setMode(FieldWriter.number(use.mode()))
                        .setAttachment(
                            ClaimProto.Use.Attachment.valueOf(use.attachment().name()))));
    claim.holders().values().forEach(holder -> out.addHolder(holder(holder)));
    claim.exhaustedUntil().ifPresent(until -> out.setExhaustedUntil(StoredParts.time(until)));
    claim.overrides().forEach(override -> out.addOverride(override(override)));
    claim.lastUse().ifPresent(at -> out.setLastUse(StoredParts.time(at)));
    byte[] bytes = new RecordBytes<>(out.build(), newer).bytes();
    if (bytes.length > MAX_SIZE) {
      throw new RecordStoreException(
          Reason.TOO_LARGE,
          "Writing the claim of volume '"
              + ForeignText.of(claim.volume().toString())
              + "' failed: with "
              + claim.holders().size()
              + " holders it takes "
              + bytes.length
              + " bytes, but at most "
              + MAX_SIZE
              + " are stored. Let fewer workloads hold it, or use shorter names.");
    }
    return bytes;
  }

  @Override
  public Decoded<Claim> decode(byte[] bytes) throws MalformedRecordException {
    RecordBytes<ClaimProto.Claim> read =
        RecordBytes.read(ClaimProto.Claim.parser(), bytes, FORMAT_WITH_FACTS);
    ClaimProto.Claim in = read.message();
    VolumeKey volume = RecordBytes.checked("volume", () -> StoredParts.key(in.getVolume()));
    Optional<Claim.Use> use = in.hasUse() ? Optional.of(use(in.getUse())) : Optional.empty();
    SortedMap<WorkloadId, ClaimHolder> holders = new TreeMap<>();
    for (ClaimProto.Holder each : in.getHolderList()) {
      ClaimHolder holder = holder(each);
      RecordBytes.add(
          holders,
          holder.workload(),
          holder,
          "The holders are not sorted, or one is listed twice.");
    }
    List<ClaimOverride> overrides = new ArrayList<>();
    for (ClaimProto.Override each : in.getOverrideList()) {
      overrides.add(override(each));
    }
    if (overrides.size() > Claim.OVERRIDES) {
      throw new MalformedRecordException("There are more overrides than a claim can have.");
    }
    Optional<Instant> until =
        in.hasExhaustedUntil()
            ? Optional.of(StoredParts.time(in.getExhaustedUntil()))
            : Optional.empty();
    Optional<Instant> lastUse =
        in.hasLastUse() ? Optional.of(StoredParts.time(in.getLastUse())) : Optional.empty();
    int needed = format(holders.values());
    if (in.getFormat() != needed) {
      throw new MalformedRecordException(
          "It has format "
              + in.getFormat()
              + (in.getFormat() > needed
                  ? ", and nothing that needs it."
                  : needed == FORMAT_WITH_FACTS
                      ? ", and facts of a workload, which need format 3."
                      : ", and mount options, which need format 2."));
    }
    Claim claim =
        RecordBytes.checked(
            "claim",
            () -> new Claim(volume, use, holders, in.getEpoch(), until, overrides, lastUse));
    return new Decoded<>(claim, read.newer());
  }

  private static int format(Collection<ClaimHolder> holders) {
    if (holders.stream().anyMatch(holder -> holder.facts().isPresent())) {
      return FORMAT_WITH_FACTS;
    }
    return holders.stream().anyMatch(holder -> holder.options().isPresent())
        ? FORMAT_WITH_OPTIONS
        : FORMAT;
  }

  // ---- parts, each written and read

  private static Claim.Use use(ClaimProto.Use in) throws MalformedRecordException {
    return RecordBytes.checked(
        "use",
        () ->
            new Claim.Use(
                FieldReader.accessMode(in.getMode()),
                RecordBytes.named(
                    "attachment",
                    AttachmentMode.class,
                    in.getAttachment(),
                    in.getAttachmentValue())));
  }

  private static ClaimProto.Holder holder(ClaimHolder holder) {
    ClaimProto.Holder.Builder out =
        ClaimProto.Holder.newBuilder()
            .setWorkload(holder.workload().value())
            .setNode(holder.node().value())
            .setNodeId(holder.nodeId().map(NodeId::value).orElse(""))
            .setMode(ClaimProto.Holder.Mode.valueOf(holder.mode().name()))
            .setState(ClaimProto.Holder.State.valueOf(holder.state().name()))
            .setEpoch(holder.epoch())
            .setSince(StoredParts.time(holder.since()))
            .setAttached(attached(holder.attachment()));
    holder.options().ifPresent(options -> out.setOptions(StoredParts.options(options)));
    holder
        .facts()
        .ifPresent(
            facts ->
                out.setFacts(
                    ClaimProto.Facts.newBuilder()
                        .addAllEntry(StoredParts.entries(facts.entries()))));
    return out.build();
  }

  private static ClaimHolder holder(ClaimProto.Holder in) throws MalformedRecordException {
    return RecordBytes.checked(
        "holder",
        () ->
            new ClaimHolder(
                WorkloadId.of(in.getWorkload()),
                NodeName.of(in.getNode()),
                Optional.of(in.getNodeId()).filter(id -> !id.isEmpty()).map(NodeId::of),
                RecordBytes.named("mode", ClaimMode.class, in.getMode(), in.getModeValue()),
                RecordBytes.named(
                    "state", ClaimHolder.State.class, in.getState(), in.getStateValue()),
                in.getEpoch(),
                StoredParts.time(in.getSince()),
                attached(in.getAttached()),
                in.hasOptions()
                    ? Optional.of(StoredParts.options(in.getOptions()))
                    : Optional.empty(),
                in.hasFacts()
                    ? Optional.of(
                        WorkloadFacts.from(StoredParts.entries(in.getFacts().getEntryList())))
                    : Optional.empty()));
  }

  private static ClaimProto.Attached attached(ClaimHolder.Attachment attachment) {
    ClaimProto.Attached.Builder out = ClaimProto.Attached.newBuilder();
    if (attachment instanceof ClaimHolder.Attachment.NotNeeded) {
      return out.setHow(ClaimProto.Attached.How.NOT_NEEDED).build();
    }
    if (attachment instanceof ClaimHolder.Attachment.Attached attached) {
      return out.setHow(ClaimProto.Attached.How.ATTACHED)
          .addAllContext(StoredParts.entries(attached.context()))
          .build();
    }
    return out.setHow(ClaimProto.Attached.How.IN_DOUBT)
        .setRepeated(((ClaimHolder.Attachment.InDoubt) attachment).repeated())
        .build();
  }

  private static ClaimHolder.Attachment attached(ClaimProto.Attached in)
      throws MalformedRecordException {
    if (in.getHow() != ClaimProto.Attached.How.ATTACHED && in.getContextCount() > 0) {
      throw new MalformedRecordException("It has a publish context, but is not attached.");
    }
    return switch (in.getHow()) {
      case NOT_NEEDED -> new ClaimHolder.Attachment.NotNeeded();
      case IN_DOUBT -> new ClaimHolder.Attachment.InDoubt(in.getRepeated());
      case ATTACHED ->
          new ClaimHolder.Attachment.Attached(StoredParts.publishContext(in.getContextList()));
      case UNKNOWN, UNRECOGNIZED ->
          throw new MalformedRecordException(
              "The state of its attachment, " + in.getHowValue() + ", is not known.");
    };
  }

  private static ClaimProto.Override override(ClaimOverride override) {
    return ClaimProto.Override.newBuilder()
        .setWorkload(override.workload().value())
        .setNode(override.node().value())
        .setEpoch(override.epoch())
        .setPerson(override.person().name())
        .setReason(override.reason().text())
        .setAt(StoredParts.time(override.at()))
        .build();
  }

  private static ClaimOverride override(ClaimProto.Override in) throws MalformedRecordException {
    return RecordBytes.checked(
        "override",
        () ->
            new ClaimOverride(
                WorkloadId.of(in.getWorkload()),
                NodeName.of(in.getNode()),
                in.getEpoch(),
                new ClaimOverride.Person(in.getPerson()),
                new ReasonText(in.getReason()),
                StoredParts.time(in.getAt())));
  }
}
