package io.csi4j.volume.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.StoredCatalog;
import io.csi4j.volume.catalog.VolumeChange;
import io.csi4j.volume.internal.fields.CodecContract;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogSamples;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.local.LocalStore;
import io.csi4j.volume.store.local.MemoryStore;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Volumes of a storage system as bytes, and in a state. */
class CatalogCodecTest implements CodecContract<CatalogCodec.Stored> {

  private static final CatalogVolume VOLUME = CatalogSamples.volume();
  private static final RecordKey KEY = CatalogCodec.key(VOLUME.key());
  private static final String NAME = "csi4j-k7x2";

  /** Written once, and read for ever. */
  private static final String GOLDEN =
      "0801120764656661756c741a0464622d31220f0a01701204080110014200"
          + "5a0276302a0a637369346a2d6b3778323001";

  /** The same, for a record of which everything is stated. */
  private static final String FULL =
      "0801120473686f701a0464622d3122bd010a0f6562732e6373692e6578616d706c65120e08061a"
          + "0a12080a040a02726f0a001204080310011a04080a101422180a0b0a06726567696f6e1201720a"
          + "090a047a6f6e6512016122180a0b0a06726567696f6e1201720a090a047a6f6e651201622a180a"
          + "0b0a06726567696f6e1201720a090a047a6f6e6512016232070a05656d707479320b0a04747970"
          + "6512037373643a090a04696f7073120133420b0a0378667312001a0231374a0870726f642f6562"
          + "735206736e61702d3160012a0a637369346a2d6b37783230023a700a05766f6c2d3110011a0f65"
          + "62732e6373692e6578616d706c6522090a0470617274120131220f0a05746f6b656e1206733363"
          + "7233742a180a0b0a06726567696f6e1201720a090a047a6f6e651201622a180a0b0a0672656769"
          + "6f6e1201720a090a047a6f6e6512016130103a020810";

  /** What places of snapshots add to the first. */
  private static final String PLACED =
      "5222"
          + "0a06706c61636564"
          + "220b0a090a047a6f6e65120161"
          + "2a0b0a090a047a6f6e65120161"
          + "620b0a090a047a6f6e65120162";

  /** What changes add to the first. */
  private static final String CHANGED =
      "6a09"
          + "0a04696f7073120139"
          + "7216"
          + "0a020863"
          + "2209746f6f206c61726765"
          + "28fba0f1c2b134"
          + "7219"
          + "0a020809"
          + "1801"
          + "220a686173206572726f7273"
          + "28fba0f1c2b134"
          + "720b"
          + "12090a04696f7073120137";

  /** Bytes that were written once, each with the record that they are read as for ever. */
  private static Map<String, CatalogEntry> kept() {
    CatalogEntry plain = entries().get(0);
    return Map.of(
        GOLDEN,
        plain,
        FULL,
        entries().get(1),
        GOLDEN + PLACED,
        plain
            .with(
                new PendingSnapshot(
                    "placed", new TreeMap<>(), new TreeSet<>(), Optional.of(requested())))
            .fromSnapshotIn(List.of(zone("b"))),
        GOLDEN + "520e0a016e32060a01761201733a0167",
        plain.with(
            new PendingSnapshot("n", new TreeMap<>(), new TreeSet<>())
                .answered(
                    new PendingSnapshot.Answer(
                        Optional.of(GroupSnapshotId.of("g")),
                        Map.of(VolumeId.of("v"), SnapshotId.of("s"))))),
        GOLDEN + "52060a016e420173",
        plain.with(
            new PendingSnapshot("n", new TreeMap<>(), new TreeSet<>()).sentAs(Optional.of("s"))),
        GOLDEN + CHANGED,
        changed(plain));
  }

  @Override
  public List<CatalogCodec.Stored> records() {
    return Stream.concat(
            entries().stream().map(CatalogCodecTest::known), Stream.of(worked(), adopted()))
        .toList();
  }

  /** A record with a mark, on which control planes work. */
  private static CatalogCodec.Stored worked() {
    CatalogWork.Owner owner = new CatalogWork.Owner("s-1", "cp-1");
    return new CatalogCodec.Stored(
        CatalogRecord.of(entries().get(1))
            .with(new CatalogWork(CatalogWork.VOLUME, CatalogWork.Kind.DELETION, owner, 7))
            .with(new CatalogWork("snapshot n", CatalogWork.Kind.SNAPSHOT, owner, 9)),
        Optional.of(new UUID(3, 4)),
        UnknownFields.NONE);
  }

  /** A record of a volume that is being adopted. */
  private static CatalogCodec.Stored adopted() {
    return new CatalogCodec.Stored(
        CatalogRecord.of(entries().get(1))
            .with(
                new CatalogWork(
                    CatalogWork.VOLUME,
                    CatalogWork.Kind.ADOPTION,
                    new CatalogWork.Owner("s-1", "cp-1"),
                    1)),
        Optional.of(new UUID(3, 4)),
        UnknownFields.NONE);
  }

  @Override
  public List<byte[]> samples() {
    return Stream.concat(
            kept().keySet().stream().map(HexFormat.of()::parseHex), Stream.of(encode(worked())))
        .toList();
  }

  @Override
  public byte[] encode(CatalogCodec.Stored record) {
    return CatalogCodec.encode(record);
  }

  @Override
  public CatalogCodec.Stored decode(byte[] bytes) throws MalformedRecordException {
    return CatalogCodec.stored(bytes);
  }

  @Override
  public int formats() {
    return 1;
  }

  /** A topology that a record has twice is read once. */
  @Override
  public boolean isCanonical() {
    return false;
  }

  @Test
  void theBytesOfEachVersionAreReadForEver() throws MalformedRecordException {
    for (Map.Entry<String, CatalogEntry> each : kept().entrySet()) {
      CatalogCodec.Stored record = known(each.getValue());
      assertThat(decode(HexFormat.of().parseHex(each.getKey()))).isEqualTo(record);
      assertThat(HexFormat.of().formatHex(encode(record))).isEqualTo(each.getKey());
    }
  }

  private static CatalogCodec.Stored known(CatalogEntry entry) {
    return new CatalogCodec.Stored(CatalogRecord.of(entry), Optional.empty(), UnknownFields.NONE);
  }

  private static List<CatalogEntry> entries() {
    VolumeSpec plain =
        VolumeSpec.builder(PluginId.of("p"))
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
            .cloneOf(VolumeId.of("v0"))
            .build();
    CatalogEntry there = CatalogEntry.of(VOLUME, Optional.of(NAME));
    return List.of(
        new CatalogEntry(VolumeKey.of("db-1"), plain, Optional.of(NAME), new State.Creating()),
        there,
        CatalogEntry.of(VOLUME, Optional.empty()),
        there
            .with(new PendingSnapshot("nightly", new TreeMap<>(Map.of("k", "v")), new TreeSet<>()))
            .with(
                new PendingSnapshot(
                    "nightly",
                    new TreeMap<>(),
                    new TreeSet<>(Set.of(VOLUME.key(), VolumeKey.of("db-2"))))),
        there.with(
            new PendingSnapshot(
                "placed", new TreeMap<>(), new TreeSet<>(), Optional.of(requested()))),
        there.with(cutAnd(Optional.empty()).sentAs(Optional.of("csi4j-abcdefghijk27-n"))),
        there.with(cutAnd(Optional.empty())).with(cutAnd(Optional.of(GroupSnapshotId.of("g")))),
        changed(there),
        CatalogEntry.of(VOLUME.toBuilder().providerVersion("1.4.0").build(), Optional.of(NAME)),
        there.fromSnapshotIn(List.of(zone("a"), zone("b"))),
        there.in(new State.Growing(VOLUME, CapacityRange.atMost(30))),
        there.in(new State.Deleting(Optional.of(VOLUME.id()), Optional.of(VOLUME))),
        there.in(new State.Deleting(Optional.of(VOLUME.id()), Optional.empty())),
        there.in(new State.Deleting(Optional.empty(), Optional.empty())));
  }

  /** A snapshot, or a group of one, that the plugin has answered. */
  private static PendingSnapshot cutAnd(Optional<GroupSnapshotId> group) {
    TreeSet<VolumeKey> members = new TreeSet<>();
    group.ifPresent(none -> members.add(VolumeKey.of("db-2")));
    return new PendingSnapshot("n", new TreeMap<>(), members)
        .answered(new PendingSnapshot.Answer(group, Map.of(VolumeId.of("v"), SnapshotId.of("s"))));
  }

  /** A volume whose parameters are being changed, and whose size and parameters were refused. */
  private static CatalogEntry changed(CatalogEntry entry) {
    Optional<Instant> at = Optional.of(Instant.ofEpochMilli(1_800_000_000_123L));
    return entry
        .modifying(new TreeMap<>(Map.of("iops", "9")))
        .refusing(
            new VolumeChange(
                new VolumeChange.Request.Size(CapacityRange.atLeast(99)),
                VolumeChange.Progress.INFEASIBLE,
                "too large",
                at))
        .refusing(
            new VolumeChange(
                new VolumeChange.Request.Size(CapacityRange.atLeast(9)),
                VolumeChange.Progress.INFEASIBLE_ON_NODE,
                "has errors",
                at))
        .refusing(
            new VolumeChange(
                new VolumeChange.Request.Parameters(new TreeMap<>(Map.of("iops", "7"))),
                VolumeChange.Progress.INFEASIBLE,
                "",
                Optional.empty()));
  }

  private static Topology zone(String zone) {
    return Topology.of(Map.of("zone", zone));
  }

  private static TopologyRequirement requested() {
    return new TopologyRequirement(Set.of(zone("a")), List.of(zone("a")));
  }

  /** The directory of a catalog that the version before wrote. */
  private static StateKey former(MemoryMedium medium, byte[] bytes) {
    StateKey key = StateKey.catalog(HashedName.inCatalog(VOLUME.key()));
    try (StateStore state = medium.open()) {
      state.put(key, StateValue.of(bytes), Durability.REQUIRED);
    }
    return key;
  }

  @Test
  void aCatalogOfTheVersionBeforeIsReadAndChanged() {
    MemoryMedium medium = MemoryMedium.create();
    CatalogEntry plain = entries().get(0);
    StateKey key = StateKey.catalog(HashedName.inCatalog(plain.key()));
    try (StateStore state = medium.open()) {
      state.put(key, StateValue.of(HexFormat.of().parseHex(GOLDEN + CHANGED)), Durability.REQUIRED);
    }

    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(StoredCatalog.entries(store)).containsExactly(changed(plain));
      StoredCatalog.put(store, plain);
    }

    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(StoredCatalog.entries(store)).containsExactly(plain);
    }
  }

  @Test
  @Tag("G9")
  void whatANewerVersionWroteWithAVolumeIsKept() {
    MemoryMedium medium = MemoryMedium.create();
    CatalogEntry record = CatalogEntry.of(VOLUME, Optional.of(NAME));
    UnknownFields newer = UnknownFields.of(HexFormat.of().parseHex("fa06026869"));
    var unused =
        former(
            medium,
            CatalogCodec.encode(
                new CatalogCodec.Stored(CatalogRecord.of(record), Optional.empty(), newer)));

    CatalogEntry changed = record.underOlderModes();
    try (LocalStore store = LocalStore.on(medium.open())) {
      assertThat(StoredCatalog.entries(store)).containsExactly(record);
      StoredCatalog.put(store, changed);
    }

    try (LocalStore store = LocalStore.on(medium.open())) {
      RecordValues.Seen<CatalogRecord> kept =
          new RecordValues<>(store, new CatalogCodec()).read(KEY);
      assertThat(kept.value()).contains(CatalogRecord.of(changed));
      assertThat(kept.newer()).as("G9: fields of a newer version are kept").isEqualTo(newer);
    }
  }

  @Test
  void aVolumeThatIsMadeAgainTakesNothingOverFromOneThatWasForgotten() {
    try (RecordStore store = new MemoryStore()) {
      RecordValues<CatalogRecord> records = new RecordValues<>(store, new CatalogCodec());
      CatalogRecord record = CatalogRecord.of(CatalogEntry.of(VOLUME, Optional.of(NAME)));
      byte[] theirs =
          CatalogCodec.encode(
              new CatalogCodec.Stored(
                  record,
                  Optional.empty(),
                  UnknownFields.of(HexFormat.of().parseHex("fa06026869"))));
      assertThat(
              store.write(
                  new RecordWrite(KEY, Optional.empty(), Optional.of(StateValue.of(theirs)))))
          .isInstanceOf(WriteResult.Written.class);
      assertThat(store.write(records.draft(records.read(KEY), Optional.empty())))
          .isInstanceOf(WriteResult.Written.class);

      StoredCatalog.put(store, record);

      assertThat(records.read(KEY).newer()).isEqualTo(UnknownFields.NONE);
    }
  }

  @Test
  void aRecordThatOutgrowsAStoreIsRefused() {
    Map<String, String> context = new TreeMap<>();
    for (int i = 0; i < 1_000; i++) {
      context.put("key-" + i, "x".repeat(100));
    }
    CatalogVolume large = VOLUME.toBuilder().context(VolumeContext.of(context)).build();
    CatalogRecord record = CatalogRecord.of(CatalogEntry.of(large, Optional.of(NAME)));
    assertThatThrownBy(() -> new CatalogCodec().encode(record, new UUID(1, 2), UnknownFields.NONE))
        .isInstanceOfSatisfying(
            RecordStoreException.class,
            refused ->
                assertThat(refused.reason()).isEqualTo(RecordStoreException.Reason.TOO_LARGE))
        .hasMessageStartingWith("Writing the record of volume '" + VOLUME.key() + "' failed:");
  }
}
