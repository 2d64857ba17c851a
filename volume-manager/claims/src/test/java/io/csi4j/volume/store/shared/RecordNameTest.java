package io.csi4j.volume.store.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Page;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordNameTest {

  private static final int[] SOME = {
    ' ', '-', '/', 'a', '~', 0xa0, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffee, 0x10000, 0x10ffff
  };

  private static String name(Random random) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i <= random.nextInt(3); i++) {
      name.appendCodePoint(SOME[random.nextInt(SOME.length)]);
    }
    return name.toString();
  }

  @Test
  void namesComeBackAndTheirBytesAreInTheOrderOfTheVolumes() {
    long seed = 31;
    Random random = new Random(seed);
    VolumeKey before = VolumeKey.of("a");
    for (int i = 0; i < 20_000; i++) {
      VolumeKey volume = VolumeKey.of(Namespace.of(name(random)), name(random));
      RecordKey key = RecordKey.of(Space.VOLUMES, volume);
      byte[] bytes = RecordName.bytes(key.name());
      assertThat(RecordName.text(bytes)).as("seed %d", seed).isEqualTo(key.name());
      assertThat(key.volume()).as("seed %d", seed).contains(volume);
      byte[] other = RecordName.bytes(RecordKey.of(Space.VOLUMES, before).name());
      assertThat(Integer.signum(Arrays.compareUnsigned(other, bytes)))
          .as("seed %d", seed)
          .isEqualTo(Integer.signum(before.compareTo(volume)));
      before = volume;
    }
  }

  @Test
  void aNameOfNoVolumeNamesNone() {
    for (String none : List.of("junk", "\u001f", "a\u001f", "\u001fa", "a\u001fb\u001fc")) {
      assertThat(new RecordKey(Space.CLAIMS, none).volume()).as(none).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 100})
  void pagesGoOnPastBytesThatAreNoName(int limit) {
    TreeSet<byte[]> kept = new TreeSet<>(Arrays::compareUnsigned);
    for (String name : List.of("a", "c", "e", "zz")) {
      kept.add(name.getBytes(UTF_8));
    }
    for (int i = 0; i < 5; i++) {
      kept.add(new byte[] {'d', (byte) 0xff, (byte) i});
    }
    List<String> names = new ArrayList<>();

    Optional<RecordKey> after = Optional.empty();
    do {
      Page page =
          RecordName.page(
              Space.CLAIMS,
              after,
              limit,
              (name, most) ->
                  kept.tailSet(name, false).stream()
                      .limit(most)
                      .map(each -> new RecordName.Row(each, 1, new byte[] {1}))
                      .toList());
      page.records().forEach(each -> names.add(each.key().name()));
      assertThat(page.next()).isNotEqualTo(after.or(() -> Optional.of(key("none"))));
      after = page.next();
    } while (after.isPresent());

    assertThat(names).hasSize(9).containsSubsequence("a", "c", "e", "zz");
  }

  private static RecordKey key(String name) {
    return new RecordKey(Space.CLAIMS, name);
  }
}
