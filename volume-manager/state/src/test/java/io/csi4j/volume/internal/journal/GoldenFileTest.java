package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files of format 1, written once and kept. They load for ever, and no damage makes them say
 * something that is not true without a doubt, nor keeps a store from opening.
 */
class GoldenFileTest {

  private static final StateKey PLUGIN = StateKey.plugin("hostpath.csi.example");
  private static final StateKey CLAIM = StateKey.claim("c");
  private static final StateKey GRAVE = StateKey.tombstone("b");

  /** How the writer of a file ended. */
  enum Golden {
    CLOSED("state-v1-closed.j"),
    KILLED("state-v1-killed.j");

    private final String file;

    Golden(String file) {
      this.file = file;
    }

    byte[] bytes() {
      try (InputStream in =
          Objects.requireNonNull(GoldenFileTest.class.getResourceAsStream(file), file)) {
        return in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Every value that a key ever had, the newest last; empty for "gone". */
  private static final Map<StateKey, List<Optional<StateValue>>> EVER = new LinkedHashMap<>();

  static {
    EVER.put(Fixture.A, had("a staged", "a published", "a read-only"));
    EVER.put(Fixture.B, List.of(Optional.of(Fixture.value("b published")), Optional.empty()));
    EVER.put(Fixture.C, had("c in doubt", "c"));
    EVER.put(GRAVE, had("b was here"));
    EVER.put(PLUGIN, had("unix:/run/csi.sock 1.2.3"));
    EVER.put(CLAIM, List.of(Optional.of(Fixture.value("epoch 7")), Optional.empty()));
  }

  private static List<Optional<StateValue>> had(String... values) {
    return Arrays.stream(values).map(text -> Optional.of(Fixture.value(text))).toList();
  }

  private static void write(StateStore store) {
    put(store, Fixture.A, "a staged");
    put(store, Fixture.B, "b published");
    put(store, PLUGIN, "unix:/run/csi.sock 1.2.3");
    put(store, Fixture.C, "c in doubt");
    put(store, CLAIM, "epoch 7");
    put(store, Fixture.A, "a published");
    store.bury(Fixture.B, Fixture.value("b was here"));
    store.remove(CLAIM);
    put(store, Fixture.C, "c");
    put(store, Fixture.A, "a read-only");
  }

  private static void put(StateStore store, StateKey key, String text) {
    store.put(key, Fixture.value(text), Durability.REQUIRED);
  }

  private static byte[] written(Golden golden) {
    FakeDisk disk = FakeDisk.with(Fixture.ROOT);
    Journal store = new Fixture().open(disk);
    write(store);
    if (golden == Golden.CLOSED) {
      store.close();
    }
    return disk.content(Fixture.segment(1));
  }

  private static LoadedState load(byte[] bytes) {
    FakeDisk disk = FakeDisk.with(Fixture.ROOT);
    disk.overwrite(Fixture.segment(1), bytes);
    disk.mkdir(Fixture.STATE);
    try (StateStore store = new Fixture().open(disk)) {
      LoadedState loaded = store.load();
      // It can be written on, and what is doubted outlives the next start.
      store.put(StateKey.volume("new"), Fixture.value("new"), Durability.REQUIRED);
      return loaded;
    }
  }

  private static void checkNothingUntrueIsSaidWithoutDoubt(LoadedState loaded, String damage) {
    assertThat(loaded.values().keySet()).as(damage).isSubsetOf(EVER.keySet());
    EVER.forEach(
        (key, ever) -> {
          Optional<StateValue> now = loaded.value(key);
          if (now.isPresent()) {
            assertThat(ever).as("%s: %s", damage, key).contains(now);
          }
          boolean doubted = loaded.isDoubtful(key) || (now.isEmpty() && loaded.mayMissKeys());
          if (!doubted) {
            assertThat(now).as("%s: %s", damage, key).isEqualTo(ever.get(ever.size() - 1));
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  @Tag("G7")
  void aFileOfFormatOneLoads(Golden golden) {
    LoadedState loaded = load(golden.bytes());

    assertThat(loaded.uncertainties()).isEmpty();
    assertThat(loaded.writtenOn()).contains(Fixture.HOST);
    assertThat(loaded.values()).as("G7: a journal of format 1 is read").hasSize(4);
    checkNothingUntrueIsSaidWithoutDoubt(loaded, "no damage");
  }

  @ParameterizedTest
  @EnumSource
  void thisVersionStillWritesFormatOne(Golden golden) throws IOException {
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.write(
          Path.of(
              System.getProperty("csi4j.root", "../.."),
              "volume-manager/state/src/test/resources/io/csi4j/volume/internal/journal",
              golden.file),
          written(golden));
    }

    assertThat(written(golden)).isEqualTo(golden.bytes());
  }

  @ParameterizedTest
  @EnumSource
  void aFileThatIsCutAtAnyByteIsNeverBelieved(Golden golden) {
    byte[] whole = golden.bytes();
    for (int length = 0; length < whole.length; length++) {
      LoadedState loaded = load(Arrays.copyOf(whole, length));

      assertThat(loaded.mayMissKeys()).as("cut at %s", length).isTrue();
      checkNothingUntrueIsSaidWithoutDoubt(loaded, "cut at " + length);
    }
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void aFlippedBitNeverMakesAnUntrueValueCertainAndIsNoticed(Golden golden) {
    byte[] whole = golden.bytes();
    int used = SegmentScan.of(whole).end();
    int unnoticed = 0;
    for (int bit = 0; bit < whole.length * 8; bit++) {
      if (golden == Golden.KILLED && bit / 8 >= used && bit % 61 != 0) {
        // The rest is empty in both files, and the other one goes through all of it.
        continue;
      }
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      LoadedState loaded = load(flipped);
      checkNothingUntrueIsSaidWithoutDoubt(loaded, "bit " + bit);
      if (loaded.uncertainties().isEmpty()) {
        assertThat(whole[bit / 8]).as("bit %s", bit).isZero();
        unnoticed++;
      }
    }

    // Nothing is checked between the end of a record and the next multiple of 8, nor is anything
    // there.
    assertThat(unnoticed).isLessThan(SegmentScan.of(whole).entries().size() * 7 * 8);
  }

  @Test
  void theDamageOfOneValueIsADoubtOfItsKeyAlone() {
    byte[] whole = Golden.CLOSED.bytes();
    int at = indexOf(whole, "b was here");
    whole[at] ^= 1;
    LoadedState loaded = load(whole);

    assertThat(loaded.mayMissKeys()).isFalse();
    assertThat(loaded.uncertainties())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt.keys()).containsExactly(Fixture.B, GRAVE));
    assertThat(loaded.value(Fixture.A)).contains(Fixture.value("a read-only"));
    assertThat(loaded.value(Fixture.B)).contains(Fixture.value("b published"));
  }

  @Test
  void theDamageOfAnOldValueIsNoDoubtOfItsKey() {
    byte[] whole = Golden.CLOSED.bytes();
    whole[indexOf(whole, "a staged")] ^= 1;
    LoadedState loaded = load(whole);

    assertThat(loaded.isDoubtful(Fixture.A)).isFalse();
    assertThat(loaded.mayMissKeys()).isFalse();
    assertThat(loaded.value(Fixture.A)).contains(Fixture.value("a read-only"));
  }

  @Test
  void garbageNeverMakesAnUntrueValueCertain() {
    byte[] whole = Golden.KILLED.bytes();
    for (int seed = 0; seed < 3000; seed++) {
      byte[] garbled = whole.clone();
      Random random = FakeDisk.chance(seed);
      for (int times = 0; times <= seed % 3; times++) {
        garble(garbled, random, seed % 2 == 0 ? 16 : 300);
      }
      checkNothingUntrueIsSaidWithoutDoubt(load(garbled), "seed " + seed);
    }
  }

  private static void garble(byte[] bytes, Random random, int most) {
    int from = random.nextInt(1000);
    int length = 1 + random.nextInt(most);
    for (int i = from; i < from + length; i++) {
      bytes[i] = (byte) (1 + random.nextInt(255));
    }
  }

  private static int indexOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
  }
}
