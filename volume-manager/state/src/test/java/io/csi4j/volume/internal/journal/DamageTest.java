package io.csi4j.volume.internal.journal;

import static io.csi4j.volume.state.StateStore.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are damaged, missing, replaced, copied, or written by somebody else. */
class DamageTest {

  private final Fixture fixture = new Fixture();
  private FakeDisk disk = FakeDisk.with(Fixture.ROOT);

  private void write(StateKey key, String text) {
    try (StateStore store = fixture.open(disk)) {
      store.put(key, Fixture.value(text), REQUIRED);
    }
  }

  private void flip(Path file, String at) {
    byte[] bytes = disk.content(file);
    int index = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(at);
    assertThat(index).isNotNegative();
    bytes[index] ^= 4;
    disk.overwrite(file, bytes);
  }

  private StateException refusal(JournalSettings settings) {
    try {
      Journal.open(disk, Fixture.STATE, settings);
      throw new AssertionError("opening was to be refused");
    } catch (StateException e) {
      return e;
    }
  }

  private Map<Path, String> contents() {
    return disk.files().stream()
        .filter(path -> !path.equals(Fixture.ROOT) && !path.equals(Fixture.STATE))
        .collect(
            Collectors.toMap(
                path -> path, path -> new String(disk.content(path), StandardCharsets.ISO_8859_1)));
  }

  // ---- the tail and the middle

  @Test
  @Tag("G1")
  @Tag("B2")
  void aTornRecordAtTheEndIsDroppedAndTold() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    store.put(Fixture.B, Fixture.value("the last one"), REQUIRED);
    byte[] torn = disk.content(Fixture.segment(1));
    int cut = new String(torn, StandardCharsets.ISO_8859_1).indexOf("last one");
    Arrays.fill(torn, cut, torn.length, (byte) 0);
    disk = disk.restart(new Random(1));
    disk.overwrite(Fixture.segment(1), torn);
    LoadedState loaded = fixture.open(disk).load();

    assertThat(loaded.values()).containsOnlyKeys(Fixture.A);
    assertThat(fixture.told(StateEvent.BecameUncertain.class))
        .as("B2 G1: the torn record is dropped and told")
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.uncertainty().reason())
                  .isEqualTo(StateException.Reason.JOURNAL_TAIL_DROPPED);
              assertThat(event.uncertainty().keys()).containsExactly(Fixture.B);
              assertThat(event.uncertainty().hidesUnknownKeys()).isFalse();
            });
    assertThat(fixture.told(StateEvent.SetAside.class)).isEmpty();
  }

  @Test
  @Tag("G2")
  void aDamagedSegmentIsKeptAsideAndItsDoubtsStayUntilTheyAreSettled() {
    write(Fixture.A, "one");
    write(Fixture.B, "two");
    write(Fixture.C, "three");
    flip(Fixture.segment(1), "two");
    byte[] damaged = disk.content(Fixture.segment(1));
    write(StateKey.volume("d"), "four");
    Path aside = Fixture.STATE.resolve("seg-00000001.j.damaged-4");

    assertThat(fixture.told(StateEvent.SetAside.class))
        .as("G2: the damaged file is kept")
        .containsExactly(new StateEvent.SetAside(aside));
    assertThat(disk.content(aside)).isEqualTo(damaged);
    for (int life = 0; life < 3; life++) {
      try (StateStore store = fixture.open(disk)) {
        assertThat(store.load().isDoubtful(Fixture.B)).isTrue();
        assertThat(store.load().isDoubtful(Fixture.A)).isFalse();
        assertThat(store.load().values())
            .containsOnlyKeys(Fixture.A, Fixture.C, StateKey.volume("d"));
        if (life == 1) {
          for (int i = 0; i < 20; i++) {
            store.put(Fixture.A, StateValue.of(new byte[500]), REQUIRED);
          }
        } else if (life == 2) {
          store.settle();
          assertThat(store.load().uncertainties()).isEmpty();
        }
      }
    }
    assertThat(fixture.told(StateEvent.BecameUncertain.class)).hasSize(1);
    try (StateStore store = fixture.open(disk)) {
      assertThat(store.load().uncertainties()).isEmpty();
    }
  }

  @Test
  void aDoubtIsDurableBeforeTheDamagedFileIsMoved() {
    write(Fixture.A, "one");
    write(Fixture.B, "two");
    flip(Fixture.segment(1), "one");
    byte[] damaged = disk.content(Fixture.segment(1));
    for (int cut = 0; cut < 25; cut++) {
      FakeDisk cutting = disk.restart(FakeDisk.chance(cut)).cutPowerAt(cut);
      try {
        fixture.open(cutting);
      } catch (FakeDisk.PowerCut e) {
        // At every operation of the opening.
      }
      try (StateStore store = fixture.open(cutting.restart(FakeDisk.chance(cut)))) {
        assertThat(store.load().isDoubtful(Fixture.A)).as("cut at %s", cut).isTrue();
        assertThat(store.load().value(Fixture.B)).contains(Fixture.value("two"));
      }
    }
    assertThat(damaged).hasSize(4096);
  }

  @Test
  void thousandsOfDoubtfulKeysOutliveARestart() {
    try (StateStore store = fixture.open(disk)) {
      for (int i = 0; i < 1500; i++) {
        store.put(StateKey.volume("v" + i), Fixture.value("value-" + i), REQUIRED);
      }
    }
    Path newest =
        disk.files().stream()
            .filter(path -> path.toString().endsWith(".j"))
            .max(Path::compareTo)
            .orElseThrow();
    byte[] bytes = disk.content(newest);
    disk.overwrite(newest, Arrays.copyOf(bytes, bytes.length - 8));
    fixture.open(disk).close();

    LoadedState loaded = fixture.open(disk).load();
    assertThat(loaded.values()).hasSize(1500);
    assertThat(loaded.values().keySet()).allMatch(loaded::isDoubtful);
    assertThat(loaded.uncertainties())
        .allMatch(doubt -> doubt.reason() == StateException.Reason.JOURNAL_TRUNCATED)
        .hasSizeGreaterThan(3);
    assertThat(loaded.mayMissKeys()).isTrue();
  }

  @Test
  void theSegmentBeforeFillsInForOneThatCannotBeReadAtAll() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    for (int i = 0; i < 8; i++) {
      store.put(Fixture.B, StateValue.of(new byte[500]), REQUIRED);
    }
    store.close();
    disk.overwrite(Fixture.segment(2), new byte[4096]);
    LoadedState loaded = fixture.open(disk).load();

    assertThat(loaded.value(Fixture.A)).contains(Fixture.value("one"));
    assertThat(loaded.isDoubtful(Fixture.A)).isTrue();
    assertThat(loaded.isDoubtful(Fixture.B)).isTrue();
    assertThat(loaded.mayMissKeys()).isTrue();
  }

  // ---- empty and missing

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("G3")
  void kubernetes108217_anEmptyFileIsNeverTheStateOfANewHost(boolean expected) {
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), new byte[0]);
    Journal store =
        Journal.open(disk, Fixture.STATE, fixture.settings().stateExpected(expected).build());

    assertThat(store.load().mayMissKeys()).as("G3: an empty file is no first start").isTrue();
    assertThat(store.load().uncertainties())
        .singleElement()
        .satisfies(it -> assertThat(it.reason()).isEqualTo(StateException.Reason.JOURNAL_DAMAGED));
  }

  @Test
  @Tag("G4")
  @Tag("B6")
  void aMissingStateThatWasExpectedIsADoubtUntilItIsSettled() {
    JournalSettings settings = fixture.settings().stateExpected(true).build();
    try (StateStore store = Journal.open(disk, Fixture.STATE, settings)) {
      assertThat(store.load().uncertainties())
          .as("B6 G4: a missing state is no first start")
          .singleElement()
          .satisfies(it -> assertThat(it.reason()).isEqualTo(StateException.Reason.STATE_MISSING));
      assertThat(store.load().mayMissKeys()).isTrue();
    }
    try (StateStore store = fixture.open(disk)) {
      assertThat(store.load().mayMissKeys()).isTrue();
      store.settle();
    }
    try (StateStore store = Journal.open(disk, Fixture.STATE, settings)) {
      assertThat(store.load().uncertainties()).isEmpty();
    }
  }

  @Test
  void segmentsThatSomebodyDeletedAreMissed() {
    write(Fixture.A, "one");
    disk.erase(Fixture.segment(1));

    assertThat(fixture.open(disk).load().uncertainties())
        .extracting(Uncertainty::reason)
        .containsExactly(StateException.Reason.STATE_MISSING);
  }

  @Test
  void aStateThatNobodyExpectedIsNew() {
    assertThat(fixture.open(disk).load().uncertainties()).isEmpty();
    assertThat(fixture.told(StateEvent.BecameUncertain.class)).isEmpty();
  }

  // ---- somebody else's

  /** A segment with a header of this format, made as a later version would. */
  private static byte[] ofFormat(int format) {
    Header header = new Header(format, 1, 4096, Fixture.HOST);
    return Arrays.copyOf(header.entry(1, 1).encode(), 4096);
  }

  @Test
  @Tag("G8")
  @Tag("L8")
  void aNewerFormatIsRefusedWithoutAByteWritten() {
    write(Fixture.A, "one");
    disk.overwrite(Fixture.segment(2), ofFormat(2));
    Map<Path, String> before = contents();
    int operations = disk.operations();
    StateException refusal = refusal(fixture.settings().build());

    assertThat(refusal.reason())
        .as("G8 L8: the state of a newer version is refused")
        .isEqualTo(StateException.Reason.STATE_FROM_NEWER_VERSION);
    assertThat(refusal).hasMessageContaining("a newer version of csi4j wrote it");
    assertThat(disk.operations()).isEqualTo(operations);
    assertThat(contents())
        .as("G8 L8: the state of a newer version is not changed")
        .isEqualTo(before);
  }

  @Test
  void aSegmentThatANewerVersionWentOnWritingIsRefused() {
    write(Fixture.A, "one");
    byte[] bytes = disk.content(Fixture.segment(1));
    SegmentScan scan = SegmentScan.of(bytes);
    byte[] header =
        new Header(2, 1, 4096, Fixture.HOST).entry(scan.entries().size() + 1, 2).encode();
    System.arraycopy(header, 0, bytes, scan.end(), header.length);
    disk.overwrite(Fixture.segment(1), bytes);

    assertThat(refusal(fixture.settings().build()).reason())
        .isEqualTo(StateException.Reason.STATE_FROM_NEWER_VERSION);
  }

  private static HostIdentity host(String name) {
    return new HostIdentity(new HostId(name), new BootId("boot-9"), 1);
  }

  @Test
  @Tag("G10")
  void theStateOfAnotherHostIsRefusedUnlessTold() {
    write(Fixture.A, "one");
    Map<Path, String> before = contents();
    StateException refusal = refusal(fixture.settings().host(host("host-b")).build());
    assertThat(refusal.reason())
        .as("G10: refused")
        .isEqualTo(StateException.Reason.STATE_FROM_OTHER_HOST);
    assertThat(refusal).hasMessageContaining("host-a").hasMessageContaining("host-b");
    assertThat(contents()).as("G10: not changed").isEqualTo(before);

    Journal store =
        Journal.open(
            disk,
            Fixture.STATE,
            fixture.settings().host(host("host-b")).acceptOtherHost(true).build());
    assertThat(store.load().value(Fixture.A)).contains(Fixture.value("one"));
    assertThat(store.load().writtenOn()).contains(Fixture.HOST);
    store.close();
    assertThat(refusal(fixture.settings().build()).reason())
        .isEqualTo(StateException.Reason.STATE_FROM_OTHER_HOST);
  }

  @Test
  void aHostThatIsNotKnownIsNoOtherHost() {
    write(Fixture.A, "one");

    assertThat(
            Journal.open(disk, Fixture.STATE, fixture.settings().host(host("")).build())
                .load()
                .values())
        .containsOnlyKeys(Fixture.A);
  }

  @Test
  void theNextOwnerLearnsInWhichBootAndNamespaceTheLastOneRan() {
    write(Fixture.A, "one");
    HostIdentity rebooted = new HostIdentity(Fixture.HOST.host(), new BootId("boot-2"), 5);
    try (StateStore store =
        Journal.open(disk, Fixture.STATE, fixture.settings().host(rebooted).build())) {
      assertThat(store.load().writtenOn()).contains(Fixture.HOST);
    }

    assertThat(fixture.open(disk).load().writtenOn()).contains(rebooted);
  }

  // ---- while it is in use

  @Test
  @Tag("G12")
  void aFileThatIsDeletedWhileInUseIsWrittenAnew() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.erase(Fixture.segment(1));
    store.put(Fixture.B, Fixture.value("two"), REQUIRED);

    assertThat(fixture.told(StateEvent.Repaired.class))
        .as("G12: deleted while in use, written again")
        .containsExactly(
            new StateEvent.Repaired(StateException.Reason.JOURNAL_REPLACED, Fixture.segment(1)));
    assertThat(fixture.open(disk.restart(new Random(1))).load().values())
        .as("G12: nothing is lost")
        .containsOnlyKeys(Fixture.A, Fixture.B);
  }

  @Test
  void aFileThatIsReplacedWhileInUseIsKeptAsideAndWrittenAnew() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    byte[] copy = disk.content(Fixture.segment(1));
    disk.erase(Fixture.segment(1));
    disk.overwrite(Fixture.segment(1), copy);
    store.put(Fixture.B, Fixture.value("two"), REQUIRED);

    assertThat(fixture.told(StateEvent.SetAside.class)).hasSize(1);
    assertThat(fixture.open(disk.restart(new Random(1))).load().values())
        .containsOnlyKeys(Fixture.A, Fixture.B);
  }

  @Test
  void aFileThatIsEditedAfterEachSixteenthWriteIsKeptAsideAndWrittenAnew() {
    Journal store = fixture.open(disk);
    for (int i = 0; i < SegmentFiles.LOOK_EVERY; i++) {
      store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    }
    flip(Fixture.segment(1), "one");
    byte[] edited = disk.content(Fixture.segment(1));
    store.put(Fixture.B, Fixture.value("two"), REQUIRED);

    assertThat(fixture.told(StateEvent.SetAside.class))
        .singleElement()
        .satisfies(event -> assertThat(disk.content(event.file())).isEqualTo(edited));
    LoadedState loaded = fixture.open(disk.restart(new Random(1))).load();
    assertThat(loaded.values()).containsEntry(Fixture.A, Fixture.value("one")).hasSize(2);
    assertThat(loaded.uncertainties()).isEmpty();
  }

  @Test
  void aFileThatIsEditedInBetweenIsFoundDamagedByTheNextOwner() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    flip(Fixture.segment(1), "one");
    store.put(Fixture.B, Fixture.value("two"), REQUIRED);

    LoadedState loaded = fixture.open(disk.restart(new Random(1))).load();
    assertThat(loaded.isDoubtful(Fixture.A)).isTrue();
    assertThat(loaded.isDoubtful(Fixture.B)).isFalse();
    assertThat(loaded.values()).containsEntry(Fixture.B, Fixture.value("two"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileThatIsCutWhileInUseIsWrittenAnewWhenTheStoreIsClosed(boolean writes) {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.overwrite(Fixture.segment(1), new byte[0]);
    if (writes) {
      store.remove(Fixture.B);
    }
    store.close();

    assertThat(fixture.open(disk).load().values()).containsOnlyKeys(Fixture.A);
  }

  @Test
  void anOwnersRecordThatIsDeletedIsWrittenAnew() {
    Journal store = fixture.open(disk);
    disk.erase(Fixture.STATE.resolve("owner"));
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> fixture.open(disk))
        .satisfies(e -> assertThat(e.owner()).contains(store.owner()));
  }

  // ---- the order

  private byte[] segmentOf(Entry... entries) {
    byte[] bytes = new byte[4096];
    byte[] header = Header.of(1, 4096, Fixture.HOST).entry(1, 1).encode();
    System.arraycopy(header, 0, bytes, 0, header.length);
    int at = header.length;
    for (Entry entry : entries) {
      byte[] encoded = entry.encode();
      System.arraycopy(encoded, 0, bytes, at, encoded.length);
      at += encoded.length;
    }
    return bytes;
  }

  private static Entry entry(long seq, StateKey key, String text) {
    return Entry.unplaced(EntryName.of(key), Entry.PUT, text.getBytes(StandardCharsets.UTF_8))
        .at(seq, 1);
  }

  private LoadedState load(byte[] segment) {
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), segment);
    return fixture.open(disk).load();
  }

  @Test
  @Tag("G13")
  void aNumberThatGoesBackwardsIsToldAndTheHighestCounts() {
    LoadedState loaded =
        load(
            segmentOf(
                entry(2, Fixture.B, "b"),
                entry(3, Fixture.A, "newest"),
                entry(2, Fixture.A, "older")));

    assertThat(loaded.value(Fixture.A))
        .as("G13: the newest record counts")
        .contains(Fixture.value("newest"));
    assertThat(loaded.uncertainties())
        .as("G13: the order is told")
        .singleElement()
        .satisfies(
            doubt -> {
              assertThat(doubt.reason()).isEqualTo(StateException.Reason.JOURNAL_ORDER);
              assertThat(doubt.keys()).containsExactly(Fixture.A);
            });
  }

  @Test
  void aNumberThatIsThereTwiceIsTold() {
    LoadedState loaded =
        load(segmentOf(entry(2, Fixture.A, "first"), entry(2, Fixture.A, "second")));

    assertThat(loaded.value(Fixture.A)).contains(Fixture.value("first"));
    assertThat(loaded.isDoubtful(Fixture.A)).isTrue();
  }

  @Test
  void aSegmentThatEndsBeforeTheHighestNumberIsNotWrittenOn() {
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), segmentOf(entry(8, Fixture.A, "before")));
    disk.overwrite(Fixture.segment(2), segmentOf(entry(2, Fixture.B, "newest")));
    write(Fixture.C, "next");

    assertThat(fixture.open(disk).load().values())
        .as("the record behind leaves out numbers, and that is no loss")
        .containsOnlyKeys(Fixture.B, Fixture.C);
  }

  @Test
  void aSegmentWhoseLastHeaderGoesBackIsNotWrittenOn() {
    Entry back = Header.of(1, 4096, Fixture.HOST).entry(1, 1);
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), segmentOf(entry(2, Fixture.A, "one"), back));
    write(Fixture.B, "two");

    LoadedState loaded = fixture.open(disk).load();
    assertThat(loaded.values()).containsOnlyKeys(Fixture.A, Fixture.B);
    assertThat(loaded.mayMissKeys()).isFalse();
  }

  @Test
  void recordsThatAreMissingWithoutATraceAreADoubtOfWhatIsOlder() {
    LoadedState loaded =
        load(segmentOf(entry(2, Fixture.A, "before"), entry(5, Fixture.B, "after")));

    assertThat(loaded.isDoubtful(Fixture.A)).isTrue();
    assertThat(loaded.isDoubtful(Fixture.B)).isFalse();
    assertThat(loaded.mayMissKeys()).isTrue();
  }

  // ---- what a later version may add

  @Test
  void recordsOfAnUnknownKindSurviveEveryCompaction() {
    byte[] unknown = "what a later version knows".getBytes(StandardCharsets.UTF_8);
    byte[] first =
        segmentOf(
            entry(2, Fixture.A, "a"),
            new Entry(3, 1, new EntryName(200, "x"), Entry.PUT, new byte[] {1}),
            new Entry(4, 1, new EntryName(200, "x"), 77, unknown),
            new Entry(5, 1, new EntryName(201, "gone"), Entry.PUT, unknown),
            new Entry(6, 1, new EntryName(201, "gone"), Entry.REMOVE, new byte[0]));
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), first);
    Journal store = fixture.open(disk);
    assertThat(store.load().values()).containsOnlyKeys(Fixture.A);
    for (int i = 0; i < 50; i++) {
      store.put(Fixture.A, StateValue.of(new byte[500]), REQUIRED);
    }
    store.close();

    Set<Path> segments =
        disk.files().stream()
            .filter(path -> path.toString().endsWith(".j"))
            .collect(Collectors.toSet());
    assertThat(segments).doesNotContain(Fixture.segment(1)).hasSize(2);
    for (Path segment : segments) {
      List<Entry> kept =
          SegmentScan.of(disk.content(segment)).entries().stream()
              .filter(entry -> entry.name().kind() >= 200)
              .toList();
      assertThat(kept).hasSize(1);
      assertThat(kept.get(0).name()).isEqualTo(new EntryName(200, "x"));
      assertThat(kept.get(0).action()).isEqualTo(77);
      assertThat(kept.get(0).value()).isEqualTo(unknown);
    }
  }

  @Test
  void anUnknownActionOnAKnownKeyIsADoubtOfIt() {
    LoadedState loaded =
        load(
            segmentOf(
                entry(2, Fixture.A, "a"),
                new Entry(3, 1, EntryName.of(Fixture.A), 77, new byte[] {1})));

    assertThat(loaded.value(Fixture.A)).contains(Fixture.value("a"));
    assertThat(loaded.isDoubtful(Fixture.A)).isTrue();
  }
}
