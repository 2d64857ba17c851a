package io.csi4j.volume.internal.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.internal.catalog.proto.CatalogProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.StoredParts;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.fields.proto.PartsProto;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/** The stored form of volumes: the messages of {@code state.proto}, which documents each field. */
public final class CatalogCodec implements ValueCodec<CatalogRecord> {

  private static final int FORMAT = 1;

  /** Creates the codec, which has no state. */
  public CatalogCodec() {}

  /**
   * A record with its additional stored fields.
   *
   * @param record the record
   * @param mark the mark of the write; empty if a version without marks wrote it
   * @param newer the fields that a newer version wrote
   */
  public record Stored(CatalogRecord record, Optional<UUID> mark, UnknownFields newer) {

    /** Checks that all parts are set. */
    public Stored {
      Objects.requireNonNull(record, "record");
      Objects.requireNonNull(mark, "mark");
      Objects.requireNonNull(newer, "newer");
    }
  }

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.VOLUMES;
  }

  @Override
  public RecordKey key(CatalogRecord value) {
    return key(value.entry().key());
  }

  /** Returns the key of the record of a volume. */
  public static RecordKey key(VolumeKey volume) {
    return RecordKey.of(RecordKey.Space.VOLUMES, volume);
  }

  @Override
  public String named(RecordKey key) {
    return key.volume()
        .map(volume -> "the record of volume '" + volume + "'")
        .orElseGet(() -> "the record '" + key.name() + "' of the catalog");
  }

  @Override
  public byte[] encode(CatalogRecord value, UUID mark, UnknownFields newer) {
    byte[] bytes = encode(new Stored(value, Optional.of(mark), newer));
    if (bytes.length > StateValue.MAX_SIZE) {
      throw new RecordStoreException(
          RecordStoreException.Reason.TOO_LARGE,
          "Writing "
              + ForeignText.of(named(key(value)))
              + " failed: it has "
              + bytes.length
              + " bytes, but a store keeps at most "
              + StateValue.MAX_SIZE
              + ". Use fewer or shorter parameters, topologies and snapshots.");
    }
    return bytes;
  }

  @Override
  public Decoded<CatalogRecord> decode(byte[] bytes) throws MalformedRecordException {
    Stored stored = stored(bytes);
    return new Decoded<>(stored.record(), stored.newer());
  }

  @Override
  public boolean removes() {
    return true;
  }

  /** Encodes a record. */
  public static byte[] encode(Stored stored) {
    return new RecordBytes<>(message(stored), stored.newer()).bytes();
  }

  /** Returns the number of bytes of a volume's entry, without the work on the volume. */
  public static int size(CatalogEntry entry) {
    return message(new Stored(CatalogRecord.of(entry), Optional.empty(), UnknownFields.NONE))
        .getSerializedSize();
  }

  private static CatalogProto.Record message(Stored stored) {
    CatalogEntry record = stored.record().entry();
    CatalogProto.Record.Builder out =
        CatalogProto.Record.newBuilder()
            .setFormat(FORMAT)
            .setNamespace(record.key().namespace().value())
            .setId(record.key().id())
            .setSpec(spec(record.spec()))
            .setName(record.name().orElse(""))
            .setOlderModes(record.olderModes())
            .addAllSourcePlace(StoredParts.places(record.sourcePlaces()));
    State state = record.state();
    if (state instanceof State.Creating) {
      out.setState(CatalogProto.Record.State.CREATING);
    } else if (state instanceof State.Present there) {
      out.setState(CatalogProto.Record.State.PRESENT).setThere(there(there.volume()));
    } else if (state instanceof State.Growing growing) {
      out.setState(CatalogProto.Record.State.GROWING)
          .setThere(there(growing.volume()))
          .setGrowsTo(StoredParts.range(growing.to()));
    } else if (state instanceof State.Deleting going) {
      out.setState(CatalogProto.Record.State.DELETING)
          .setHandle(going.id().map(VolumeId::value).orElse(""));
      going.before().ifPresent(volume -> out.setThere(there(volume)));
    }
    record.pendingSnapshots().forEach(cut -> out.addCut(cut(cut)));
    out.addAllModifying(StoredParts.entries(record.modifying()));
    record.refused().forEach(change -> out.addRefused(refusal(change)));
    stored
        .mark()
        .ifPresent(
            mark ->
                out.setMarkHigh(mark.getMostSignificantBits())
                    .setMarkLow(mark.getLeastSignificantBits()));
    out.setEpoch(stored.record().epoch());
    stored.record().work().forEach(work -> out.addWork(work(work)));
    return out.setCreated(millis(stored.record().created()))
        .setChanged(millis(stored.record().changed()))
        .build();
  }

  /** Decodes a record. */
  public static Stored stored(byte[] bytes) throws MalformedRecordException {
    RecordBytes<CatalogProto.Record> read =
        RecordBytes.read(CatalogProto.Record.parser(), bytes, FORMAT);
    CatalogProto.Record in = read.message();
    List<CatalogWork> work = new ArrayList<>();
    for (CatalogProto.Work each : in.getWorkList()) {
      CatalogWork begun = work(each);
      if (work.stream().anyMatch(other -> other.part().equals(begun.part()))) {
        throw new MalformedRecordException("Two entries describe work on the same part.");
      }
      work.add(begun);
    }
    CatalogRecord record =
        new CatalogRecord(
            entry(in), in.getEpoch(), work, time(in.getCreated()), time(in.getChanged()));
    return new Stored(record, mark(in), read.newer());
  }

  private static long millis(Optional<Instant> time) {
    return time.map(Instant::toEpochMilli).orElse(0L);
  }

  private static Optional<Instant> time(long millis) {
    return millis == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
  }

  private static Optional<UUID> mark(CatalogProto.Record in) {
    return in.getMarkHigh() == 0 && in.getMarkLow() == 0
        ? Optional.empty()
        : Optional.of(new UUID(in.getMarkHigh(), in.getMarkLow()));
  }

  private static CatalogProto.Work work(CatalogWork work) {
    return CatalogProto.Work.newBuilder()
        .setPart(work.part())
        .setKind(CatalogProto.Work.Kind.valueOf(work.kind().name()))
        .setSession(work.owner().session())
        .setControlPlane(work.owner().controlPlane())
        .setEpoch(work.epoch())
        .build();
  }

  private static CatalogWork work(CatalogProto.Work in) throws MalformedRecordException {
    return RecordBytes.checked(
        "work",
        () ->
            new CatalogWork(
                in.getPart(),
                RecordBytes.named(
                    "kind of work", CatalogWork.Kind.class, in.getKind(), in.getKindValue()),
                new CatalogWork.Owner(in.getSession(), in.getControlPlane()),
                in.getEpoch()));
  }

  private static CatalogEntry entry(CatalogProto.Record in) throws MalformedRecordException {
    VolumeKey key =
        RecordBytes.checked("key", () -> VolumeKey.of(Namespace.of(in.getNamespace()), in.getId()));
    VolumeSpec spec = spec(in.getSpec());
    List<PendingSnapshot> pendingSnapshots = new ArrayList<>();
    for (CatalogProto.Cut cut : in.getCutList()) {
      pendingSnapshots.add(cut(cut));
    }
    List<VolumeChange> refused = new ArrayList<>();
    for (CatalogProto.Refusal refusal : in.getRefusedList()) {
      refused.add(refusal(refusal));
    }
    return RecordBytes.checked(
        "volume",
        () ->
            new CatalogEntry(
                key,
                spec,
                said(in.getName()),
                state(key, spec, in),
                pendingSnapshots,
                in.getOlderModes(),
                StoredParts.places(in.getSourcePlaceList()),
                StoredParts.entries(in.getModifyingList()),
                refused));
  }

  private static State state(VolumeKey key, VolumeSpec spec, CatalogProto.Record in)
      throws MalformedRecordException {
    Optional<CatalogVolume> there =
        in.hasThere() ? Optional.of(there(key, spec, in.getThere())) : Optional.empty();
    Optional<CapacityRange> to = range(in.hasGrowsTo(), in.getGrowsTo());
    CatalogProto.Record.State state = in.getState();
    if (state == CatalogProto.Record.State.CREATING && there.isEmpty()) {
      return new State.Creating();
    } else if (state == CatalogProto.Record.State.PRESENT && there.isPresent()) {
      return new State.Present(there.get());
    } else if (state == CatalogProto.Record.State.GROWING && there.isPresent() && to.isPresent()) {
      return new State.Growing(there.get(), to.get());
    } else if (state == CatalogProto.Record.State.DELETING) {
      return new State.Deleting(said(in.getHandle()).map(VolumeId::of), there);
    }
    throw new MalformedRecordException("The volume has no state.");
  }

  /** A text that is stored only if it is not empty. */
  private static Optional<String> said(String text) {
    return Optional.of(text).filter(it -> !it.isEmpty());
  }

  // ---- writing and reading of parts

  private static CatalogProto.Cut cut(PendingSnapshot cut) {
    CatalogProto.Cut.Builder out =
        CatalogProto.Cut.newBuilder()
            .setName(cut.name())
            .setSentAs(cut.sentAs().orElse(""))
            .addAllParameter(StoredParts.entries(cut.parameters()))
            .addAllGroup(cut.group().stream().map(StoredParts::key).toList());
    cut.places()
        .ifPresent(
            asked ->
                out.addAllRequired(StoredParts.places(asked.requisite()))
                    .addAllPreferred(StoredParts.places(asked.preferred())));
    cut.answer()
        .ifPresent(
            answer -> {
              out.setAnsweredGroup(answer.group().map(GroupSnapshotId::value).orElse(""));
              answer
                  .snapshots()
                  .forEach(
                      (volume, snapshot) ->
                          out.addAnswered(
                              CatalogProto.CutMember.newBuilder()
                                  .setVolume(volume.value())
                                  .setSnapshot(snapshot.value())));
            });
    return out.build();
  }

  private static Optional<PendingSnapshot.Answer> answer(CatalogProto.Cut in) {
    Map<VolumeId, SnapshotId> snapshots = new LinkedHashMap<>();
    in.getAnsweredList()
        .forEach(
            each ->
                snapshots.put(VolumeId.of(each.getVolume()), SnapshotId.of(each.getSnapshot())));
    Optional<GroupSnapshotId> group = said(in.getAnsweredGroup()).map(GroupSnapshotId::of);
    return snapshots.isEmpty() && group.isEmpty()
        ? Optional.empty()
        : Optional.of(new PendingSnapshot.Answer(group, snapshots));
  }

  private static PendingSnapshot cut(CatalogProto.Cut in) throws MalformedRecordException {
    return RecordBytes.checked(
        "key",
        () ->
            new PendingSnapshot(
                in.getName(),
                said(in.getSentAs()),
                StoredParts.entries(in.getParameterList()),
                in.getGroupList().stream()
                    .map(StoredParts::key)
                    .collect(Collectors.toCollection(TreeSet::new)),
                requested(in.getRequiredList(), in.getPreferredList()),
                answer(in)));
  }

  private static CatalogProto.Refusal refusal(VolumeChange change) {
    CatalogProto.Refusal.Builder out =
        CatalogProto.Refusal.newBuilder()
            .setByNode(change.progress() == VolumeChange.Progress.INFEASIBLE_ON_NODE)
            .setSeen(change.seen())
            .setAt(millis(change.at()));
    if (change.request() instanceof VolumeChange.Request.Size size) {
      out.setGrowsTo(StoredParts.range(size.to()));
    } else if (change.request() instanceof VolumeChange.Request.Parameters parameters) {
      out.addAllParameter(StoredParts.entries(parameters.values()));
    }
    return out.build();
  }

  private static VolumeChange refusal(CatalogProto.Refusal in) throws MalformedRecordException {
    Optional<CapacityRange> to = range(in.hasGrowsTo(), in.getGrowsTo());
    SortedMap<String, String> values = StoredParts.entries(in.getParameterList());
    if (to.isPresent() && !values.isEmpty()) {
      throw new MalformedRecordException("A refused change has two kinds.");
    }
    VolumeChange.Request wish =
        to.<VolumeChange.Request>map(VolumeChange.Request.Size::new)
            .orElseGet(() -> new VolumeChange.Request.Parameters(values));
    return new VolumeChange(
        wish,
        in.getByNode()
            ? VolumeChange.Progress.INFEASIBLE_ON_NODE
            : VolumeChange.Progress.INFEASIBLE,
        in.getSeen(),
        time(in.getAt()));
  }

  private static Optional<TopologyRequirement> requested(
      List<PartsProto.Place> required, List<PartsProto.Place> preferred)
      throws MalformedRecordException {
    return required.isEmpty() && preferred.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new TopologyRequirement(
                new LinkedHashSet<>(StoredParts.places(required)), StoredParts.places(preferred)));
  }

  private static CatalogProto.There there(CatalogVolume volume) {
    CatalogProto.There.Builder out =
        CatalogProto.There.newBuilder()
            .setId(volume.id().value())
            .setRegistered(volume.origin() == CatalogVolume.Origin.REGISTERED)
            .setProvider(volume.provider().map(PluginName::value).orElse(""))
            .setProviderVersion(volume.providerVersion().orElse(""))
            .addAllContext(StoredParts.entries(volume.context()))
            .addAllPlace(StoredParts.places(volume.topologies()))
            .setCapacity(volume.capacityBytes().orElse(0));
    volume.pendingOnNode().ifPresent(range -> out.setOwedToNode(StoredParts.range(range)));
    return out.build();
  }

  private static CatalogVolume there(VolumeKey key, VolumeSpec spec, CatalogProto.There in)
      throws MalformedRecordException {
    return RecordBytes.checked(
        "volume",
        () -> {
          CatalogVolume.Builder volume =
              CatalogVolume.builder(key, spec, VolumeId.of(in.getId()))
                  .origin(
                      in.getRegistered()
                          ? CatalogVolume.Origin.REGISTERED
                          : CatalogVolume.Origin.CREATED)
                  .context(VolumeContext.of(StoredParts.entries(in.getContextList())))
                  .topologies(StoredParts.places(in.getPlaceList()));
          said(in.getProvider()).map(PluginName::of).ifPresent(volume::provider);
          said(in.getProviderVersion()).ifPresent(volume::providerVersion);
          StoredParts.size(in.getCapacity()).ifPresent(volume::capacityBytes);
          range(in.hasOwedToNode(), in.getOwedToNode()).ifPresent(volume::pendingOnNode);
          return volume.build();
        });
  }

  private static CatalogProto.Spec spec(VolumeSpec spec) {
    CatalogProto.Spec.Builder out =
        CatalogProto.Spec.newBuilder()
            .setPlugin(spec.plugin().value())
            .addAllParameter(StoredParts.entries(spec.parameters()))
            .addAllMutableParameter(StoredParts.entries(spec.mutableParameters()))
            .setOptions(StoredParts.options(spec.mountOptions()))
            .setSecrets(spec.secrets().map(SecretsReference::value).orElse(""))
            .setEphemeral(spec.ephemeral());
    spec.capabilities().forEach(each -> out.addCapability(StoredParts.capability(each)));
    spec.capacity().ifPresent(range -> out.setCapacity(StoredParts.range(range)));
    spec.topologies()
        .ifPresent(
            places ->
                out.addAllRequired(StoredParts.places(places.requisite()))
                    .addAllPreferred(StoredParts.places(places.preferred())));
    spec.source()
        .ifPresent(
            source -> {
              if (source instanceof VolumeContentSource.FromSnapshot from) {
                out.setSnapshot(from.snapshotId().value());
              } else if (source instanceof VolumeContentSource.FromVolume from) {
                out.setVolume(from.volumeId().value());
              }
            });
    return out.build();
  }

  private static VolumeSpec spec(CatalogProto.Spec in) throws MalformedRecordException {
    Set<VolumeCapability> capabilities = new LinkedHashSet<>();
    for (PartsProto.Capability each : in.getCapabilityList()) {
      if (!capabilities.add(StoredParts.capability(each))) {
        throw new MalformedRecordException("A capability is listed twice.");
      }
    }
    if (!in.getSnapshot().isEmpty() && !in.getVolume().isEmpty()) {
      throw new MalformedRecordException("The volume has two sources.");
    }
    return RecordBytes.checked(
        "volume",
        () -> {
          VolumeSpec.Builder spec =
              VolumeSpec.builder(PluginId.of(in.getPlugin()))
                  .parameters(StoredParts.entries(in.getParameterList()))
                  .mutableParameters(StoredParts.entries(in.getMutableParameterList()))
                  .mountOptions(StoredParts.options(in.getOptions()));
          capabilities.forEach(spec::use);
          range(in.hasCapacity(), in.getCapacity()).ifPresent(spec::capacity);
          requested(in.getRequiredList(), in.getPreferredList()).ifPresent(spec::topologies);
          said(in.getSecrets()).map(SecretsReference::of).ifPresent(spec::secrets);
          said(in.getSnapshot()).map(SnapshotId::of).ifPresent(spec::fromSnapshot);
          said(in.getVolume()).map(VolumeId::of).ifPresent(spec::cloneOf);
          return spec.ephemeral(in.getEphemeral()).build();
        });
  }

  private static Optional<CapacityRange> range(boolean isThere, PartsProto.Range in)
      throws MalformedRecordException {
    return isThere ? Optional.of(StoredParts.range(in)) : Optional.empty();
  }
}
