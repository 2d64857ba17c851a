package io.csi4j.volume.claim.etcd;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.seal.SealedBytes;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import java.nio.file.Path;
import java.time.Clock;
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
class EtcdStoreTest {

  private static EtcdServer server;

  private final String prefix = anyPrefix();

  private static String anyPrefix() {
    return "/test/" + UUID.randomUUID() + "/";
  }

  @BeforeAll
  static void startOne(@TempDir Path directory) {
    server = EtcdServer.start(directory);
  }

  @AfterAll
  static void stopIt() {
    server.close();
  }

  private RecordStore open() {
    return open(prefix);
  }

  private static RecordStore open(String prefix) {
    return EtcdStore.open(EtcdSettings.builder(server.endpoint()).prefix(prefix).build());
  }

  private static Sealer sealer(String id) {
    return AesGcmSealer.of(AesGcmSealer.Keys.of(id, Arrays.copyOf(id.getBytes(US_ASCII), 32)));
  }

  private static RecordStore sealed(String prefix, Sealer sealer) {
    return EtcdStore.open(
        EtcdSettings.builder(server.endpoint()).prefix(prefix).sealer(sealer).build());
  }

  /** Each place is a prefix of its own. */
  private static final class Prefixes implements RecordStoreFixture {

    private final Function<String, RecordStore> opening;

    Prefixes(Function<String, RecordStore> opening) {
      this.opening = opening;
    }

    @Override
    public Place place() {
      String own = anyPrefix();
      return new Place() {
        @Override
        public RecordStore open() {
          return opening.apply(own);
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
    return RecordStoreChecks.of(new Prefixes(EtcdStoreTest::open)).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @Tag("campaign")
  @TestFactory
  Stream<DynamicTest> aSealedStoreInEtcdKeepsItsPromises() {
    Sealer sealer = sealer("k1");
    return RecordStoreChecks.of(new Prefixes(prefix -> sealed(prefix, sealer))).stream()
        .map(check -> dynamicTest(check.name(), check::run));
  }

  @Test
  void aSealedClaimIsReadReplacedAndRefusedToWhoHasNoKey() {
    VolumeKey volume = VolumeKey.of("db");
    try (RecordStore clear = open()) {
      write(clear, Claim.none(volume));
    }
    try (RecordStore store = sealed(prefix, sealer("k1"))) {
      StoredClaims claims = StoredClaims.in(store);
      Seen<Claim> inClear = claims.read(volume);
      Seen<Claim> replaced = claims.write(inClear, Claim.none(volume));
      assertThat(claims.attempt(inClear, Claim.none(volume)))
          .as("another is there than was seen")
          .isEqualTo(new WriteResult.Conflict(List.of(replaced.stored().orElseThrow())));
      assertThat(claims.write(replaced, Claim.none(volume)).version())
          .as("what is compared is what is there, sealed as it is")
          .isGreaterThan(replaced.version());
    }

    try (RecordStore clear = open()) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> StoredClaims.in(clear).read(volume))
          .withMessage(
              "Reading the claim of volume 'default/db' failed: it is sealed, and this host has no"
                  + " key. Configure the key of the other hosts.")
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNREADABLE));
    }
    try (RecordStore other = sealed(prefix, sealer("k2"))) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> StoredClaims.in(other).read(volume))
          .withMessageEndingWith(
              "it is sealed with the key 'k1', which this host does not have. Give it that key.");
    }
  }

  @Test
  void aClaimThatTheVersionBeforeSealedIsRead() {
    VolumeKey volume = VolumeKey.of("db");
    byte[] claim = new ClaimCodec().encode(Claim.none(volume), new UUID(1, 2), UnknownFields.NONE);
    Sealer sealer = sealer("k1");
    put(prefix, "default\u001fdb", SealedBytes.marked(sealer.seal(claim, "claim/default\u001fdb")));

    try (RecordStore store = sealed(prefix, sealer)) {
      assertThat(StoredClaims.in(store).read(volume).value()).contains(Claim.none(volume));
    }
  }

  @Test
  void storesBelowDifferentPrefixesAreTwo() {
    VolumeKey volume = VolumeKey.of("db");
    try (RecordStore one = open();
        RecordStore other = open(prefix + "other")) {
      write(one, Claim.none(volume));

      assertThat(other.read(ClaimCodec.key(volume))).isEmpty();
      assertThat(other.scan(Space.CLAIMS, Optional.empty(), 10).records()).isEmpty();
      assertThat(other.identity()).isNotEqualTo(one.identity());
    }
  }

  /** Puts bytes under a key of claims. */
  private static void put(String prefix, String name, byte[] bytes) {
    try (Client client = Client.builder().endpoints(server.endpoint()).build()) {
      ByteSequence key = ByteSequence.from(prefix + "claims/" + name, UTF_8);
      client.getKVClient().put(key, ByteSequence.from(bytes)).join();
    }
  }

  private static ClaimPage page(RecordStore store) {
    return new ClaimBook(store, Clock.systemUTC()).page(Optional.empty(), 10);
  }

  @Test
  void aKeyThatNamesNoVolumeIsReportedAndHidesNoClaim() {
    try (RecordStore store = open()) {
      Seen<Claim> written = write(store, Claim.none(VolumeKey.of("a")));
      put(prefix, "junk", "hello".getBytes(UTF_8));

      ClaimPage page = page(store);

      assertThat(page.claims()).containsExactly(Claim.none(VolumeKey.of("a")));
      assertThat(page.unreadable())
          .extracting(ClaimPage.Unreadable::key, ClaimPage.Unreadable::volume)
          .containsExactly(tuple("CLAIMS/junk", Optional.empty()));
      assertThat(look()).contains(written.stored().orElseThrow()).hasSize(2);
    }
  }

  @Test
  void aValueThatIsLargerThanAnyRecordHidesNoOther() {
    try (RecordStore store = open()) {
      write(store, Claim.none(VolumeKey.of("a")));
      put(prefix, "default\u001fb", new byte[200_000]);

      ClaimPage page = page(store);

      assertThat(page.claims()).containsExactly(Claim.none(VolumeKey.of("a")));
      assertThat(page.unreadable())
          .extracting(ClaimPage.Unreadable::volume)
          .containsExactly(Optional.of(VolumeKey.of("b")));
      RecordKey key = ClaimCodec.key(VolumeKey.of("b"));
      assertThat(
              store.write(
                  new RecordWrite(
                      key, store.read(key), Optional.of(StateValue.of(new byte[] {1})))))
          .as("it is not what is there")
          .isInstanceOf(WriteResult.Conflict.class);
    }
  }

  private List<StoredRecord> look() {
    return look(EtcdSettings.builder(server.endpoint()).prefix(prefix).build());
  }

  private static List<StoredRecord> look(EtcdSettings settings) {
    List<StoredRecord> all = new ArrayList<>();
    try (RecordStore store = EtcdStore.look(settings)) {
      Optional<RecordKey> after = Optional.empty();
      do {
        RecordStore.Page page = store.scan(Space.CLAIMS, after, 1_000);
        all.addAll(page.records());
        after = page.next();
      } while (after.isPresent());
    }
    return all;
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
    List<StoredRecord> written = new ArrayList<>();
    try (RecordStore store = open();
        RecordStore beside = open(prefix + "beside")) {
      write(beside, Claim.none(VolumeKey.of("of-another-store")));
      for (int i = 0; i < claims; i++) {
        VolumeKey volume = VolumeKey.of(Namespace.of("n" + i % 3), "vol-" + i);
        written.add(write(store, Claim.none(volume)).stored().orElseThrow());
      }
      List<Long> before = countAndRevision();

      List<StoredRecord> seen = look();

      assertThat(seen)
          .containsExactlyElementsOf(
              written.stream().sorted(Comparator.comparing(StoredRecord::key)).toList());
      assertThat(countAndRevision()).isEqualTo(before);
    }
    assertThat(look()).as("also when no host has the store open").hasSize(claims);
  }

  @Test
  void aLookShowsTheNewestClaimAndItsVersionAndRefusesToWrite() {
    VolumeKey volume = VolumeKey.of("db");
    try (RecordStore store = open()) {
      Seen<Claim> first = write(store, Claim.none(volume));
      assertThat(look()).containsExactly(first.stored().orElseThrow());

      Seen<Claim> second = StoredClaims.in(store).write(first, Claim.none(volume));

      assertThat(second.version()).isNotEqualTo(first.version());
      assertThat(look()).containsExactly(second.stored().orElseThrow());
    }
    EtcdSettings none = EtcdSettings.builder(server.endpoint()).prefix(prefix + "none").build();
    try (RecordStore look = EtcdStore.look(none)) {
      assertThatExceptionOfType(RecordStoreException.class)
          .isThrownBy(() -> write(look, Claim.none(volume)))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IN_DOUBT));
    }
  }

  @Test
  void aLookAtSealedClaimsTakesTheKey() {
    VolumeKey volume = VolumeKey.of("db");
    EtcdSettings settings = EtcdSettings.builder(server.endpoint()).prefix(prefix).build();
    try (RecordStore store = sealed(prefix, sealer("k1"))) {
      write(store, Claim.none(volume));
    }
    try (RecordStore look = EtcdStore.look(settings.toBuilder().sealer(sealer("k1")).build())) {
      assertThat(page(look).claims()).containsExactly(Claim.none(volume));
    }
    try (RecordStore withoutKey = EtcdStore.look(settings)) {
      assertThat(page(withoutKey))
          .isEqualTo(
              new ClaimPage(
                  List.of(),
                  List.of(
                      new ClaimPage.Unreadable(
                          "CLAIMS/default/db",
                          Optional.of(volume),
                          "Reading the claim of volume 'default/db' failed: it is sealed, and this"
                              + " host has no key. Configure the key of the other hosts.")),
                  Optional.empty()));
    }
  }

  private static Seen<Claim> write(RecordStore store, Claim claim) {
    return StoredClaims.in(store).write(claim);
  }
}
