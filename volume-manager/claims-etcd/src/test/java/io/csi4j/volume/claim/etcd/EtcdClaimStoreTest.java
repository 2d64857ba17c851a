package io.csi4j.volume.claim.etcd;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.ClaimStoreChecks;
import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.state.seal.SealingKeys;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    return EtcdClaimStore.open(EtcdSettings.builder(server.endpoint()).prefix(prefix).build());
  }

  private static WriteToken token() {
    return new WriteToken(UUID.randomUUID());
  }

  private static Sealer sealer(String id) {
    return AesGcmSealer.of(SealingKeys.of(id, Arrays.copyOf(id.getBytes(US_ASCII), 32)));
  }

  private static ClaimStore sealed(EtcdPrefix prefix, Sealer sealer) {
    return EtcdClaimStore.open(
        EtcdSettings.builder(server.endpoint()).prefix(prefix).sealer(sealer).build());
  }

  /** Each place is a prefix of its own. */
  private static final class Prefixes implements ClaimStoreFixture {

    private final Function<EtcdPrefix, ClaimStore> opening;

    Prefixes(Function<EtcdPrefix, ClaimStore> opening) {
      this.opening = opening;
    }

    @Override
    public Place place() {
      EtcdPrefix own = anyPrefix();
      return new Place() {
        @Override
        public ClaimStore open() {
          return opening.apply(own);
        }

        @Override
        public void damage(VolumeKey volume) {
          put(own, volume.namespace() + "\u001f" + volume.id());
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public Set<Ability> abilities() {
      return Set.of(Ability.values());
    }
  }

  @TestFactory
  Stream<DynamicTest> aStoreInEtcdKeepsItsPromises() {
    return ClaimStoreChecks.of(new Prefixes(EtcdClaimStoreTest::open)).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @Tag("campaign")
  @TestFactory
  Stream<DynamicTest> aSealedStoreInEtcdKeepsItsPromises() {
    Sealer sealer = sealer("k1");
    return ClaimStoreChecks.of(new Prefixes(prefix -> sealed(prefix, sealer))).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @Test
  void aSealedClaimIsReadReplacedAndRefusedToWhoHasNoKey() {
    VolumeKey volume = VolumeKey.of("db");
    try (ClaimStore clear = open()) {
      write(clear, Claim.none(volume));
    }
    try (ClaimStore store = sealed(prefix, sealer("k1"))) {
      Versioned inClear = store.read(volume);
      WriteResult.Written replaced =
          (WriteResult.Written) store.replace(inClear, Claim.none(volume), token());
      assertThat(store.replace(inClear, Claim.none(volume), token()))
          .as("another is there than was seen")
          .isEqualTo(new WriteResult.Conflict(replaced.now()));
      assertThat(store.replace(replaced.now(), Claim.none(volume), token()))
          .as("a seal is not compared, what is sealed is")
          .isInstanceOf(WriteResult.Written.class);
    }

    try (ClaimStore clear = open()) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> clear.read(volume))
          .withMessageEndingWith(
              "of etcd failed: it is sealed, and this host was given no key. Give it the key of"
                  + " the others.")
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
    }
    try (ClaimStore other = sealed(prefix, sealer("k2"))) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> other.read(volume))
          .withMessageEndingWith(
              "it is sealed with the key 'k1', which this host was not given. Give it that key.");
    }
  }

  @Test
  void storesBelowDifferentPrefixesAreTwo() {
    VolumeKey volume = VolumeKey.of("db");
    try (ClaimStore one = open();
        ClaimStore other = open(EtcdPrefix.of(prefix + "other"))) {
      write(one, Claim.none(volume));

      assertThat(other.read(volume).version()).isEqualTo(ClaimVersion.NEVER);
      assertThat(other.scan(Optional.empty(), 10).claims()).isEmpty();
      assertThat(other.identity()).isNotEqualTo(one.identity());
    }
  }

  /** Puts bytes that are no claim under a key of claims. */
  private static void put(EtcdPrefix prefix, String name) {
    try (Client client = Client.builder().endpoints(server.endpoint()).build()) {
      ByteSequence key = ByteSequence.from(prefix + "claims/" + name, UTF_8);
      client.getKVClient().put(key, ByteSequence.from("hello", UTF_8)).join();
    }
  }

  @Test
  void aKeyThatNamesNoVolumeIsReportedAndHidesNoClaim() {
    try (ClaimStore store = open()) {
      write(store, Claim.none(VolumeKey.of("a")));
      put(prefix, "junk");

      ClaimPage page = store.scan(Optional.empty(), 10);

      assertThat(page.claims()).containsExactly(store.read(VolumeKey.of("a")));
      assertThat(page.unreadable())
          .extracting(ClaimPage.Unreadable::key, ClaimPage.Unreadable::volume)
          .containsExactly(tuple(prefix + "claims/junk", Optional.empty()));
      assertThat(look()).isEqualTo(page.claims());
    }
  }

  private List<Versioned> look() {
    return EtcdClaimStore.look(EtcdSettings.builder(server.endpoint()).prefix(prefix).build())
        .claims();
  }

  /** What etcd has below the prefix of this test, and the number of its last write. */
  private List<Long> countAndRevision() {
    try (Client client = Client.builder().endpoints(server.endpoint()).build()) {
      ByteSequence below = ByteSequence.from(prefix.toString(), UTF_8);
      GetResponse found =
          client
              .getKVClient()
              .get(below, GetOption.builder().isPrefix(true).withCountOnly(true).build())
              .join();
      return List.of(found.getCount(), found.getHeader().getRevision());
    }
  }

  @Test
  void aLookAtAStoreThatWasNeverOpenedFindsNothingAndLeavesNothing() {
    List<Long> before = countAndRevision();

    assertThat(look()).isEmpty();

    assertThat(before.get(0)).isZero();
    assertThat(countAndRevision()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 257})
  void aLookFindsEveryClaimAsAnOpenStoreReadsItAndWritesNothing(int claims) {
    isFoundByALook(claims);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {256, 513, 600})
  void aLookFindsEveryClaimOfAFullPageAndOfSeveral(int claims) {
    isFoundByALook(claims);
  }

  private void isFoundByALook(int claims) {
    List<Versioned> written = new ArrayList<>();
    try (ClaimStore store = open();
        ClaimStore beside = open(EtcdPrefix.of(prefix + "beside"))) {
      write(beside, Claim.none(VolumeKey.of("of-another-store")));
      for (int i = 0; i < claims; i++) {
        VolumeKey volume = VolumeKey.of(Namespace.of("n" + i % 3), "vol-" + i);
        write(store, Claim.none(volume));
        written.add(store.read(volume));
      }
      List<Long> before = countAndRevision();

      List<Versioned> seen = look();

      assertThat(seen)
          .containsExactlyElementsOf(
              written.stream()
                  .sorted(Comparator.comparing(each -> each.claim().volume()))
                  .toList());
      assertThat(countAndRevision()).isEqualTo(before);
    }
    assertThat(look()).as("also when no host has the store open").hasSize(claims);
  }

  @Test
  void aLookShowsTheNewestClaimAndItsVersion() {
    VolumeKey volume = VolumeKey.of("db");
    try (ClaimStore store = open()) {
      write(store, Claim.none(volume));
      Versioned first = store.read(volume);
      assertThat(look()).containsExactly(first);

      WriteResult.Written second =
          (WriteResult.Written) store.compareAndSet(first.version(), Claim.none(volume), token());

      assertThat(second.now().version()).isNotEqualTo(first.version());
      assertThat(look()).containsExactly(second.now());
    }
  }

  @Test
  void aLookAtSealedClaimsTakesTheKey() {
    VolumeKey volume = VolumeKey.of("db");
    EtcdSettings settings = EtcdSettings.builder(server.endpoint()).prefix(prefix).build();
    try (ClaimStore store = sealed(prefix, sealer("k1"))) {
      write(store, Claim.none(volume));

      assertThat(EtcdClaimStore.look(settings.toBuilder().sealer(sealer("k1")).build()).claims())
          .containsExactly(store.read(volume));
    }
    ClaimPage withoutKey = EtcdClaimStore.look(settings);
    assertThat(withoutKey.claims()).isEmpty();
    assertThat(withoutKey.unreadable())
        .containsExactly(
            new ClaimPage.Unreadable(
                prefix + "claims/default\u001fdb",
                Optional.of(volume),
                "Reading the claim under the key '"
                    + prefix
                    + "claims/default\\u001fdb' of etcd failed: it is sealed, and this host was"
                    + " given no key. Give it the key of the others."));
  }

  private static void write(ClaimStore store, Claim claim) {
    assertThat(store.compareAndSet(ClaimVersion.NEVER, claim, token()))
        .isInstanceOf(WriteResult.Written.class);
  }
}
