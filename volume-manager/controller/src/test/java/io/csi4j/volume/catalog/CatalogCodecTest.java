package io.csi4j.volume.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Volumes of a storage system as bytes, and in a state. */
class CatalogCodecTest {

  private static final CatalogVolume VOLUME = CatalogSamples.volume();
  private static final CreationName NAME = new CreationName("csi4j-k7x2");

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

  static Stream<CatalogEntry> records() {
    VolumeSpec plain =
        VolumeSpec.builder(PluginId.of("p"))
            .use(AccessMode.SINGLE_NODE_WRITER, AttachmentMode.BLOCK)
            .cloneOf(VolumeId.of("v0"))
            .build();
    CatalogEntry there = CatalogEntry.of(VOLUME, Optional.of(NAME));
    return Stream.of(
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

  private static RequestedTopologies requested() {
    return new RequestedTopologies(Set.of(zone("a")), List.of(zone("a")));
  }

  private static StateValue encode(CatalogEntry entry) {
    return CatalogCodec.encode(new CatalogRecord(entry, UnknownFields.NONE));
  }

  private static CatalogEntry decode(StateValue value) throws MalformedRecordException {
    CatalogRecord record = CatalogCodec.decode(value);
    assertThat(record.unknown()).isEqualTo(UnknownFields.NONE);
    return record.entry();
  }

  @ParameterizedTest
  @MethodSource("records")
  void whatIsWrittenIsReadAsItWas(CatalogEntry record) throws MalformedRecordException {
    assertThat(decode(encode(record))).isEqualTo(record);
  }

  @ParameterizedTest
  @MethodSource("records")
  void whatIsCutOffAnywhereIsRefusedOrSaysLess(CatalogEntry record) {
    byte[] bytes = encode(record).bytes();
    for (int end = 0; end < bytes.length; end++) {
      byte[] part = Arrays.copyOf(bytes, end);
      try {
        CatalogRecord read = CatalogCodec.decode(StateValue.of(part));
        assertThat(CatalogCodec.encode(read).bytes()).isEqualTo(part);
      } catch (MalformedRecordException refused) {
        assertThat(refused).hasMessageNotContaining("s3cr3t");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void damagedBytesAreRefusedOrAnotherRecord(CatalogEntry record) {
    byte[] whole = encode(record).bytes();
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      nothingButRefusal(flipped);
    }
    Random random = new Random(8);
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, random.nextInt(whole.length + 50));
      for (int changes = 1 + random.nextInt(8); changes > 0 && bytes.length > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      nothingButRefusal(bytes);
    }
  }

  private static void nothingButRefusal(byte[] bytes) {
    try {
      assertThat(CatalogCodec.decode(StateValue.of(bytes)).entry().key()).isNotNull();
    } catch (MalformedRecordException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Test
  void theBytesOfTodayAreReadForEver() throws MalformedRecordException {
    List<CatalogEntry> records = records().toList();
    List<String> written = List.of(GOLDEN, FULL);
    for (int i = 0; i < written.size(); i++) {
      StateValue value = StateValue.of(HexFormat.of().parseHex(written.get(i)));
      assertThat(encode(records.get(i))).isEqualTo(value);
      assertThat(decode(value)).isEqualTo(records.get(i));
    }
  }

  @Test
  void placesOfSnapshotsAreReadForEver() throws MalformedRecordException {
    CatalogEntry plain = records().findFirst().orElseThrow();
    CatalogEntry placed =
        plain
            .with(
                new PendingSnapshot(
                    "placed", new TreeMap<>(), new TreeSet<>(), Optional.of(requested())))
            .fromSnapshotIn(List.of(zone("b")));
    StateValue value = StateValue.of(HexFormat.of().parseHex(GOLDEN + PLACED));
    assertThat(encode(placed)).isEqualTo(value);
    assertThat(decode(value)).isEqualTo(placed);
  }

  @Test
  void answersAboutSnapshotsAreReadForEver() throws MalformedRecordException {
    CatalogEntry answered =
        records()
            .findFirst()
            .orElseThrow()
            .with(
                new PendingSnapshot("n", new TreeMap<>(), new TreeSet<>())
                    .answered(
                        new PendingSnapshot.Answer(
                            Optional.of(GroupSnapshotId.of("g")),
                            Map.of(VolumeId.of("v"), SnapshotId.of("s")))));
    String bytes = GOLDEN + "520e0a016e32060a01761201733a0167";
    assertThat(HexFormat.of().formatHex(encode(answered).bytes())).isEqualTo(bytes);
    assertThat(decode(StateValue.of(HexFormat.of().parseHex(bytes)))).isEqualTo(answered);
  }

  @Test
  void changesAreReadForEver() throws MalformedRecordException {
    CatalogEntry changed = changed(records().findFirst().orElseThrow());
    StateValue value = StateValue.of(HexFormat.of().parseHex(GOLDEN + CHANGED));
    assertThat(HexFormat.of().formatHex(encode(changed).bytes())).isEqualTo(GOLDEN + CHANGED);
    assertThat(decode(value)).isEqualTo(changed);
  }

  @Test
  @Tag("G9")
  void whatANewerVersionWroteWithAVolumeIsKept() throws MalformedRecordException {
    MemoryMedium medium = MemoryMedium.create();
    CatalogEntry record = CatalogEntry.of(VOLUME, Optional.of(NAME));
    UnknownFields newer = UnknownFields.of(HexFormat.of().parseHex("fa06026869"));
    StateKey key = StateKey.catalog(HashedName.inCatalog(VOLUME.key()));
    try (StateStore state = medium.open()) {
      StateValue theirs = CatalogCodec.encode(new CatalogRecord(record, newer));
      state.put(key, theirs, Durability.REQUIRED);
    }

    CatalogEntry changed = record.underOlderModes();
    try (StateStore state = medium.open()) {
      VolumeStore store = VolumeStore.on(state);
      assertThat(store.load()).containsExactly(record);
      store.put(changed);
    }

    try (StateStore state = medium.open()) {
      StateValue value = state.load().value(key).orElseThrow();
      assertThat(CatalogCodec.decode(value))
          .as("G9: a volume of a newer version can be changed")
          .isEqualTo(new CatalogRecord(changed, newer));
    }
  }

  @Test
  void aVolumeThatIsMadeAgainTakesNothingOverFromOneThatWasForgotten()
      throws MalformedRecordException {
    MemoryMedium medium = MemoryMedium.create();
    CatalogEntry record = CatalogEntry.of(VOLUME, Optional.of(NAME));
    StateKey key = StateKey.catalog(HashedName.inCatalog(VOLUME.key()));
    try (StateStore state = medium.open()) {
      UnknownFields newer = UnknownFields.of(HexFormat.of().parseHex("fa06026869"));
      state.put(key, CatalogCodec.encode(new CatalogRecord(record, newer)), Durability.REQUIRED);
      VolumeStore store = VolumeStore.on(state);
      store.load();
      store.remove(VOLUME.key());
      store.put(record);

      assertThat(decode(state.load().value(key).orElseThrow())).isEqualTo(record);
    }
  }

  @Test
  void aStateGivesBackWhatWasPutIntoItAlsoAfterACrash() {
    MemoryMedium medium = MemoryMedium.create();
    VolumeStore store = VolumeStore.on(medium.open());
    CatalogEntry record = CatalogEntry.of(VOLUME, Optional.of(NAME));
    store.put(record);
    CatalogEntry other =
        new CatalogEntry(
            VolumeKey.of("db-2"), VOLUME.spec(), Optional.of(NAME), new State.Creating());
    store.put(other);
    store.put(record.in(new State.Deleting(Optional.of(VOLUME.id()), Optional.empty())));
    medium.crash();

    VolumeStore again = VolumeStore.on(medium.open());
    assertThat(again.load())
        .containsExactlyInAnyOrder(
            other, record.in(new State.Deleting(Optional.of(VOLUME.id()), Optional.empty())));
    again.remove(VOLUME.key());
    assertThat(again.load()).containsExactly(other);
  }

  @Test
  void whatIsNotOnTheMediumIsRefused() {
    MemoryMedium medium = MemoryMedium.create();
    VolumeStore store = VolumeStore.on(medium.open());
    medium.refuse(StateReason.STATE_DISK_FULL);
    assertThatThrownBy(() -> store.put(CatalogEntry.of(VOLUME, Optional.empty())))
        .isInstanceOfSatisfying(
            StateException.class,
            refused -> assertThat(refused.reason()).isEqualTo(StateReason.STATE_DISK_FULL));
    assertThat(store.load()).isEmpty();
  }

  @Test
  void aRecordThatCannotBeReadEndsTheReading() {
    MemoryMedium medium = MemoryMedium.create();
    StateStore state = medium.open();
    state.put(StateKey.catalog("x"), StateValue.of(new byte[] {8, 9}), Durability.REQUIRED);
    VolumeStore store = VolumeStore.on(state);
    assertThatThrownBy(store::load)
        .isInstanceOfSatisfying(
            StateException.class,
            refused -> assertThat(refused.reason()).isEqualTo(StateReason.JOURNAL_DAMAGED))
        .hasMessageContaining("CATALOG/x cannot be read. It has format 9");
  }
}
