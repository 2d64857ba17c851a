package io.csi4j.volume.internal.claims;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharedClaimsTest {

  private static final int[] SOME = {
    ' ', '-', '/', 'a', '~', 0xa0, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffee, 0x10000, 0x10ffff
  };

  private final SharedClaims claims = new SharedClaims("the store", Optional.empty());
  private final TreeMap<byte[], byte[]> kept = new TreeMap<>(Arrays::compareUnsigned);

  private static String name(Random random) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i <= random.nextInt(3); i++) {
      name.appendCodePoint(SOME[random.nextInt(SOME.length)]);
    }
    return name.toString();
  }

  @Test
  void aNameSaysWhoseClaimItIs() {
    long seed = 31;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      VolumeKey volume = VolumeKey.of(Namespace.of(name(random)), name(random));
      assertThat(SortedName.volume(SortedName.of(volume))).as("seed %d", seed).contains(volume);
    }
  }

  @Test
  void bytesThatAreNoNameSayNothing() {
    for (String none : List.of("", "junk", "\u001f", "a\u001f", "\u001fa", "a\u001fb\u001fc")) {
      assertThat(SortedName.volume(none.getBytes(UTF_8))).as(none).isEmpty();
    }
    long seed = 32;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(8)];
      random.nextBytes(bytes);
      SortedName.volume(bytes)
          .ifPresent(
              volume -> assertThat(SortedName.of(volume)).as("seed %d", seed).isEqualTo(bytes));
    }
  }

  private void put(VolumeKey volume) {
    kept.put(
        SortedName.of(volume),
        claims.clear(Claim.none(volume), new WriteToken(UUID.randomUUID()), ClaimVersion.NEVER));
  }

  private List<SharedClaims.Kept> behind(byte[] name, int limit) {
    List<SharedClaims.Kept> rows = new ArrayList<>();
    for (Map.Entry<byte[], byte[]> each : kept.tailMap(name, false).entrySet()) {
      if (rows.size() < limit) {
        rows.add(
            new SharedClaims.Kept(
                each.getKey(), new String(each.getKey(), UTF_8), 1, each.getValue()));
      }
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 100})
  void pagesGoOnPastClaimsThatCannotBeReadAndNamesThatAreNoVolumes(int limit) {
    for (String volume : List.of("a", "c", "e")) {
      put(VolumeKey.of(volume));
    }
    for (String junk : List.of("default\u001fb", "default\u001fd", "a", "b", "zz", "zzz")) {
      kept.put(junk.getBytes(UTF_8), new byte[] {8, 9});
    }
    List<VolumeKey> readable = new ArrayList<>();
    List<ClaimPage.Unreadable> unreadable = new ArrayList<>();

    Optional<VolumeKey> after = Optional.empty();
    do {
      ClaimPage page = claims.page(after, limit, this::behind);
      page.claims().forEach(each -> readable.add(each.claim().volume()));
      unreadable.addAll(page.unreadable());
      assertThat(page.next()).isNotEqualTo(after.or(() -> Optional.of(VolumeKey.of("none"))));
      after = page.next();
    } while (after.isPresent());

    assertThat(readable).containsExactly(VolumeKey.of("a"), VolumeKey.of("c"), VolumeKey.of("e"));
    assertThat(unreadable)
        .extracting(ClaimPage.Unreadable::key)
        .containsExactly("a", "b", "default\u001fb", "default\u001fd", "zz", "zzz");
    assertThat(unreadable)
        .extracting(ClaimPage.Unreadable::volume)
        .containsExactly(
            Optional.empty(),
            Optional.empty(),
            Optional.of(VolumeKey.of("b")),
            Optional.of(VolumeKey.of("d")),
            Optional.empty(),
            Optional.empty());
    assertThat(unreadable.get(2).problem())
        .isEqualTo(
            "Reading the claim under the key 'default\\u001fb' of the store failed: It has format"
                + " 9, and this version reads format 1 to 2. Run the version of csi4j that wrote"
                + " it, or a later one.");
  }
}
