package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.ClaimStoreChecks;
import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

@EtcdTest
class EtcdClaimStoreTest {

  private static EtcdServer server;

  private final EtcdPrefix prefix = anyPrefix();

  private static EtcdPrefix anyPrefix() {
    return EtcdPrefix.of("/test/" + UUID.randomUUID());
  }

  @BeforeAll
  static void startOne(@TempDir Path directory) {
    server = EtcdServer.start(directory);
  }

  @AfterAll
  static void stopIt() {
    server.close();
  }

  private ClaimStore open() {
    return open(prefix);
  }

  private static ClaimStore open(EtcdPrefix prefix) {
    return EtcdClaimStore.open(EtcdSettings.of(server.endpoint()).below(prefix));
  }

  /** Each place is a prefix of its own. */
  private static final class Prefixes implements ClaimStoreFixture {

    @Override
    public Place place() {
      EtcdPrefix own = anyPrefix();
      return new Place() {
        @Override
        public ClaimStore open() {
          return EtcdClaimStoreTest.open(own);
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public Set<Ability> abilities() {
      return Set.of(Ability.SHARED, Ability.DURABLE);
    }
  }

  @TestFactory
  Stream<DynamicTest> aStoreInEtcdKeepsItsPromises() {
    return ClaimStoreChecks.of(new Prefixes()).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @Test
  void storesBelowDifferentPrefixesAreTwo() {
    VolumeKey volume = VolumeKey.of("db");
    try (ClaimStore one = open();
        ClaimStore other = open(EtcdPrefix.of(prefix + "other"))) {
      write(one, Claim.none(volume));

      assertThat(other.read(volume).version()).isEqualTo(ClaimVersion.NEVER);
      assertThat(other.scan(Optional.empty(), 10)).isEmpty();
      assertThat(other.identity()).isNotEqualTo(one.identity());
    }
  }

  @Test
  void aScanGoesInTheOrderOfVolumesWhateverTheirNames() {
    List<VolumeKey> keys = new ArrayList<>();
    for (String namespace : List.of("a", "a b", "a-b", "a/b", "aa", "\ufffd", "\ud834\udd1e")) {
      for (String id : List.of("x", "x/y", " ", "\uffee", "\ud83d\ude00", "ä")) {
        keys.add(VolumeKey.of(Namespace.of(namespace), id));
      }
    }
    try (ClaimStore store = open()) {
      keys.forEach(key -> write(store, Claim.none(key)));

      List<VolumeKey> seen = new ArrayList<>();
      Optional<VolumeKey> after = Optional.empty();
      for (List<Versioned> page = store.scan(after, 5);
          !page.isEmpty();
          page = store.scan(after, 5)) {
        page.forEach(each -> seen.add(each.claim().volume()));
        after = Optional.of(seen.get(seen.size() - 1));
      }

      assertThat(seen).isEqualTo(keys.stream().sorted().toList());
    }
  }

  private static void write(ClaimStore store, Claim claim) {
    assertThat(store.compareAndSet(ClaimVersion.NEVER, claim, new WriteToken(UUID.randomUUID())))
        .isInstanceOf(WriteResult.Written.class);
  }
}
