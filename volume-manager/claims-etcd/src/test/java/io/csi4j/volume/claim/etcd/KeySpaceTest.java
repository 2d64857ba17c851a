package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeySpaceTest {

  /** From every stretch of Unicode that is written in its own way, and around what separates. */
  private static final int[] SOME = {
    ' ', '!', '-', '.', '/', '0', 'a', '~', 0xa0, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffee, 0x10000,
    0x1d11e, 0x10ffff
  };

  private final KeySpace keys = new KeySpace("/csi4j/");

  private static String name(Random random) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i <= random.nextInt(3); i++) {
      name.appendCodePoint(SOME[random.nextInt(SOME.length)]);
    }
    return name.toString();
  }

  private static RecordKey key(Random random) {
    return RecordKey.of(Space.CLAIMS, VolumeKey.of(Namespace.of(name(random)), name(random)));
  }

  @Test
  void keysReadAsTheNamesDo() {
    assertThat(
            new String(
                keys.of(RecordKey.of(Space.CLAIMS, VolumeKey.of("größe/1"))),
                StandardCharsets.UTF_8))
        .isEqualTo("/csi4j/claims/default\u001fgröße/1");
    assertThat(new String(keys.mark(), StandardCharsets.UTF_8)).isEqualTo("/csi4j/store");
  }

  @Test
  void eachSpaceHasItsOwnKeys() {
    for (Space space : Space.values()) {
      RecordKey key = new RecordKey(space, "name");
      assertThat(new String(keys.of(key), StandardCharsets.UTF_8))
          .isEqualTo("/csi4j/" + space.name().toLowerCase(Locale.ROOT) + "/name");
      assertThat(keys.record(keys.of(key), 3, new byte[1]).key()).isEqualTo(key);
    }
  }

  @Test
  void keysSortAsVolumesDoAndNoTwoAreOne() {
    long seed = 20;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      RecordKey one = key(random);
      RecordKey other = key(random);

      assertThat(Integer.signum(Arrays.compareUnsigned(keys.of(one), keys.of(other))))
          .as("seed %d: %s and %s", seed, one, other)
          .isEqualTo(Integer.signum(one.compareTo(other)));
    }
  }

  @Test
  void allKeysLieBetweenTheEndsAndTheMarkDoesNot() {
    Random random = new Random(21);
    for (int i = 0; i < 1_000; i++) {
      RecordKey one = key(random);
      RecordKey other = key(random);
      byte[] key = keys.of(one);

      assertThat(keys.record(key, 3, new byte[1]).key()).isEqualTo(one);
      assertThat(Arrays.compareUnsigned(keys.first(Space.CLAIMS), key)).isNegative();
      assertThat(Arrays.compareUnsigned(key, keys.end(Space.CLAIMS))).isNegative();
      byte[] after = keys.after(Space.CLAIMS, keys.name(key));
      assertThat(Arrays.compareUnsigned(after, key)).isPositive();
      assertThat(Arrays.compareUnsigned(after, keys.of(other)) <= 0)
          .isEqualTo(one.compareTo(other) < 0);
    }
    assertThat(Arrays.compareUnsigned(keys.mark(), keys.end(Space.CLAIMS))).isPositive();
  }
}
