package io.csi4j.examples;

import io.csi4j.conformance.RecordStoreChecks;
import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.claim.etcd.EtcdLogin;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.local.LocalStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;

/** The code blocks of docs/stores.md, each between a mark with its name and one at its end. */
final class StoresSnippets {

  private StoresSnippets() {}

  static void local(Path directory, ClaimRequest request, Consumer<ClaimHolder> host) {
    // snippet: local
    try (RecordStore store = LocalStore.open(directory)) { // created if missing
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      ClaimHolder holder = book.claim(request); // durable when it returns
      host.accept(holder); // mounts the volume, uses it, unmounts it
      book.advance(request.usage(), ClaimHolder.State.READY_TO_FREE); // nothing is left to do
      book.forget(request.usage());
    }
    // end
  }

  static void etcd(
      List<URI> members, char[] password, ClaimRequest request, Consumer<ClaimHolder> host) {
    // snippet: etcd
    EtcdSettings settings =
        EtcdSettings.builder(members.toArray(URI[]::new)) // https://etcd-1:2379, ...
            .prefix("/clusters/blue") // if one etcd has several stores
            .login(EtcdLogin.of("csi4j", password))
            .build();
    try (RecordStore store = EtcdStore.open(settings)) {
      ClaimBook book = new ClaimBook(store, Clock.systemUTC());
      host.accept(book.claim(request)); // seen by every other process
    }
    // end
  }

  static void jdbc(DataSource source, ClaimRequest request, Consumer<ClaimHolder> host) {
    // snippet: jdbc
    JdbcSettings settings = JdbcSettings.builder().schema("blue").build(); // one of several stores
    try (RecordStore store = PostgresStore.open(source, settings)) { // the host's pool
      host.accept(new ClaimBook(store, Clock.systemUTC()).claim(request));
    }
    // end
  }

  static void sealed(Path keys, Path directory, EtcdSettings etcd, Consumer<Object> host) {
    // snippet: sealed
    Sealer sealer = AesGcmSealer.fromFile(keys); // lines "ID BASE64" of 16 or 32 bytes; mode 0600
    RecordStore claims = LocalStore.open(directory.resolve("claims"), sealer);
    RecordStore shared =
        EtcdStore.open(etcd.toBuilder().sealer(sealer).build()); // all hosts have the key
    RecordStore catalog = LocalStore.open(directory.resolve("catalog"), sealer);
    // end
    List.of(claims, shared, catalog).forEach(host);
  }

  static void doubt(LocalStore store, VolumeKey volume, Consumer<Object> log, Runnable compared) {
    RecordKey claim = RecordKey.of(RecordKey.Space.CLAIMS, volume);
    if (store.uncertainty(claim).isPresent()) { // the journal is damaged
      log.accept(store.uncertainty(claim).get());
      compared.run(); // the claims with what the nodes have mounted
      store.settle(); // new claims are granted again
    }
  }

  static void settle(EtcdStore store, Consumer<Object> log, Runnable compared) {
    // snippet: settle
    if (store.readOnly().isPresent()) { // an older copy was restored
      log.accept(store.readOnly().get());
      compared.run(); // the claims with what the nodes have mounted
      StoreIdentity settled = store.settle(); // writes are accepted again
      log.accept(settled); // for EtcdSettings.Builder.identity, if you set it
    }
    // end
  }

  static Stream<DynamicTest> checks(Path directory) {
    // snippet: checks
    RecordStoreFixture fixture =
        new RecordStoreFixture() {
          private int stores;

          @Override
          public Place place() { // an empty store for each check
            Path place = directory.resolve("store-" + stores++);
            return new Place() {
              @Override
              public RecordStore open() {
                return LocalStore.open(place); // your store here
              }

              @Override
              public void close() {} // delete what is left of it
            };
          }

          @Override
          public Set<Ability> abilities() {
            return Set.of(Ability.DURABLE); // and SHARED, TOGETHER
          }
        };
    return RecordStoreChecks.of(fixture).stream()
        .map(check -> DynamicTest.dynamicTest(check.name(), check::run));
    // end
  }
}
