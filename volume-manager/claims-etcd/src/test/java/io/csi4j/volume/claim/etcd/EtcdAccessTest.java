package io.csi4j.volume.claim.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.StoredClaims;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.model.TlsSettings.Certificate;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.TestCertificates;
import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.auth.Permission;
import io.grpc.netty.GrpcSslContexts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An etcd that does not serve everybody. */
@EtcdTest
class EtcdAccessTest {

  private static final VolumeKey DB = VolumeKey.of("db");
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;

  private static StoredRecord write(EtcdStore store) {
    return StoredClaims.in(store).write(Claim.none(DB)).stored().orElseThrow();
  }

  private static String refusal(EtcdSettings settings) {
    return catchThrowableOfType(RecordStoreException.class, () -> EtcdStore.open(settings))
        .getMessage();
  }

  // ---- users

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  /** Lets only users in: root, one for the claims, and one that reads them. */
  private static void demandLogin(EtcdServer server) {
    try (Client client = Client.builder().endpoints(server.endpoint()).build()) {
      demandLogin(client.getAuthClient());
    }
  }

  private static void demandLogin(Auth auth) {
    auth.roleAdd(bytes("claims")).join();
    auth.roleGrantPermission(
            bytes("claims"), bytes("/csi4j/"), bytes("/csi4j0"), Permission.Type.READWRITE)
        .join();
    auth.roleAdd(bytes("reader")).join();
    auth.roleGrantPermission(
            bytes("reader"), bytes("/csi4j/"), bytes("/csi4j0"), Permission.Type.READ)
        .join();
    for (String user : List.of("root", "claims", "reader")) {
      auth.userAdd(bytes(user), bytes("the password of " + user)).join();
    }
    auth.userGrantRole(bytes("root"), bytes("root")).join();
    auth.userGrantRole(bytes("claims"), bytes("claims")).join();
    auth.userGrantRole(bytes("reader"), bytes("reader")).join();
    auth.authEnable().join();
  }

  private static void setPassword(EtcdServer server, String password) {
    try (Client root =
        Client.builder()
            .endpoints(server.endpoint())
            .user(bytes("root"))
            .password(bytes("the password of root"))
            .build()) {
      root.getAuthClient().userChangePassword(bytes("claims"), bytes(password)).join();
    }
  }

  private static EtcdSettings as(EtcdServer server, String password) {
    return as(server, "claims", password);
  }

  private static EtcdSettings as(EtcdServer server, String user, String password) {
    return EtcdSettings.builder(server.endpoint())
        .login(EtcdLogin.of(user, password.toCharArray()))
        .build();
  }

  @Test
  void aUserWithARoleBelowThePrefixIsEnough() throws InterruptedException {
    try (EtcdServer server = EtcdServer.start(directory)) {
      demandLogin(server);
      try (EtcdStore store = EtcdStore.open(as(server, "the password of claims"));
          Watch watch = store.watch(Space.CLAIMS)) {
        StoredRecord now = write(store);

        assertThat(watch.next(LONG)).contains(new Change.Written(now));
        assertThat(store.read(ClaimCodec.key(DB))).contains(now);

        // By that its tokens are forgotten, of which a caller hears nothing.
        setPassword(server, "the password of claims");
        assertThat(store.read(ClaimCodec.key(DB))).contains(now);
        setPassword(server, "the password of claims");
        now = write(store);
        assertThat(watch.next(LONG)).contains(new Change.Written(now));

        server.kill();
        server.start();
        StoredRecord next = null;
        while (next == null) {
          try {
            next = write(store);
          } catch (RecordStoreException notYet) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          }
        }
        assertThat(watch.next(LONG)).contains(new Change.Written(next));
      }
    }
  }

  @Test
  void whoHasNoRightIsToldWhich() {
    try (EtcdServer server = EtcdServer.start(directory)) {
      demandLogin(server);
      String login = ". Correct the login, or the role of the user in etcd.";
      String etcd = "Opening the store failed: etcd at " + server.endpoint();

      assertThat(refusal(as(server, "wrong")))
          .isEqualTo(etcd + " does not accept the user and the password" + login);
      assertThat(refusal(EtcdSettings.of(server.endpoint())))
          .isEqualTo(
              etcd
                  + " rejects the request as invalid, which also happens when it requires a user."
                  + " Configure a login, if etcd requires one.");
      assertThat(refusal(as(server, "the password of claims").toBuilder().prefix("/other").build()))
          .isEqualTo(etcd + " does not allow the user to read and write below '/other/'" + login);
    }
  }

  @Test
  void whoOnlyLooksIsLetInAndRefusedAsWhoOpens() {
    try (EtcdServer server = EtcdServer.start(directory)) {
      demandLogin(server);
      EtcdSettings right = as(server, "the password of claims");
      StoredRecord written;
      try (EtcdStore store = EtcdStore.open(right)) {
        written = write(store);
      }

      try (EtcdStore look = EtcdStore.look(right)) {
        assertThat(look.scan(Space.CLAIMS, Optional.empty(), 9).records()).containsExactly(written);
      }
      RecordStoreException refused =
          catchThrowableOfType(
              RecordStoreException.class, () -> EtcdStore.look(as(server, "wrong")));
      assertThat(refused)
          .hasMessage(
              "Opening the store failed: etcd at "
                  + server.endpoint()
                  + " does not accept the user and the password. Correct the login, or the role of"
                  + " the user in etcd.");
    }
  }

  @Test
  void aUserWithARoleThatReadsBelowThePrefixIsEnoughForALook() {
    try (EtcdServer server = EtcdServer.start(directory)) {
      demandLogin(server);
      Map<Space, StoredRecord> written = new EnumMap<>(Space.class);
      try (EtcdStore store = EtcdStore.open(as(server, "the password of claims"))) {
        for (Space space : Space.values()) {
          written.put(space, write(store, space));
        }
      }

      try (EtcdStore look = EtcdStore.look(as(server, "reader", "the password of reader"))) {
        written.forEach(
            (space, there) -> {
              assertThat(look.read(there.key())).contains(there);
              assertThat(look.scan(space, Optional.empty(), 9).records()).containsExactly(there);
            });
        assertThat(look.readOnly()).isEmpty();
        RecordStoreException refused =
            catchThrowableOfType(RecordStoreException.class, () -> write(look, Space.CLUSTER));
        assertThat(refused.reason()).isEqualTo(RecordStoreException.Reason.UNAVAILABLE);
        assertThat(refused)
            .hasMessageContaining(" does not allow the user to read and write below '/csi4j/'");
      }
    }
  }

  /** Writes a record, whether it is there or not. */
  private static StoredRecord write(EtcdStore store, Space space) {
    RecordKey key = RecordKey.of(space, DB);
    RecordWrite write =
        new RecordWrite(key, store.read(key), Optional.of(StateValue.of(new byte[] {1, 2})));
    return ((WriteResult.Written) store.write(write)).now().get(0);
  }

  @Test
  void aLoginWhereEtcdKnowsNoUsersIsToldSo() {
    try (EtcdServer server = EtcdServer.start(directory)) {
      assertThat(refusal(as(server, "any")))
          .isEqualTo(
              "Opening the store failed: etcd at "
                  + server.endpoint()
                  + " is not in a state that allows this call. Check whether"
                  + " authentication is enabled in etcd.");
    }
  }

  // ---- encryption

  private Pem pem(String name) {
    return Pem.file(certificates().file(name));
  }

  private TestCertificates certificates() {
    return new TestCertificates(directory);
  }

  /** Makes those of an authority, of a server at an address, and of a client. */
  private void certificatesFor(String address) {
    TestCertificates certificates = certificates();
    certificates.authority("ca");
    certificates.certificate(
        "server",
        "server",
        "subjectAltName=IP:" + address + "\nextendedKeyUsage=serverAuth,clientAuth\n");
    certificates.certificate("client", "claims", "extendedKeyUsage=clientAuth\n");
  }

  @Test
  void anEncryptedEtcdIsTrustedByItsSignerAndSeesWhoComes() throws Exception {
    String address = EtcdServer.ownAddress();
    certificatesFor(address);
    certificates().authority("stranger");
    TlsSettings trusting = TlsSettings.trusting(pem("ca.pem"));
    Certificate own =
        new Certificate(
            pem("client.pem"), Pem.of(Files.readAllBytes(directory.resolve("client.key"))));
    try (EtcdServer server =
        EtcdServer.startEncrypted(
            directory,
            address,
            "--cert-file=server.pem",
            "--key-file=server.key",
            "--trusted-ca-file=ca.pem",
            "--client-cert-auth")) {
      EtcdSettings settings = EtcdSettings.of(server.endpoint());
      try (EtcdStore store =
          EtcdStore.open(settings.toBuilder().tls(trusting.showing(own)).build())) {
        StoredRecord now = write(store);
        assertThat(now.version()).isPositive();
        assertThat(store.read(ClaimCodec.key(DB))).contains(now);
      }
      String unreached =
          "Opening the store failed: etcd at "
              + server.endpoint()
              + " cannot be reached, or has no leader. Check that etcd runs, and that this host can"
              + " reach it, with TLS if etcd requires it.";
      TlsSettings credulous = TlsSettings.trusting(pem("stranger.pem")).showing(own);
      assertThat(refusal(settings.toBuilder().tls(credulous).build())).isEqualTo(unreached);
      assertThat(refusal(settings)).isEqualTo(unreached);
      assertThat(refusal(settings.toBuilder().tls(trusting).build())).isEqualTo(unreached);
      assertThat(
              refusal(settings.toBuilder().tls(TlsSettings.trusting(pem("missing.pem"))).build()))
          .isEqualTo(
              "Opening the store in etcd failed: the trusted certificates ("
                  + directory.resolve("missing.pem")
                  + ") cannot be used for TLS. Use certificates in PEM form, and a key as PKCS"
                  + " #8 in PEM form without a password.");
      assertThat(
              refusal(
                  settings.toBuilder()
                      .tls(
                          trusting.showing(
                              new Certificate(pem("client.pem"), Pem.of(new byte[] {1}))))
                      .build()))
          .startsWith(
              "Opening the store in etcd failed: the client's certificate ("
                  + directory.resolve("client.pem")
                  + ") and key (given as bytes) cannot be used for TLS.");
    }
  }

  @Test
  void aCertificateOfAUserWithARoleBelowThePrefixIsEnoughForEachSpace() throws Exception {
    String address = EtcdServer.ownAddress();
    certificatesFor(address);
    Certificate own = new Certificate(pem("client.pem"), pem("client.key"));
    TlsSettings tls = TlsSettings.trusting(pem("ca.pem")).showing(own);
    try (EtcdServer server =
        EtcdServer.startEncrypted(
            directory,
            address,
            "--cert-file=server.pem",
            "--key-file=server.key",
            "--trusted-ca-file=ca.pem",
            "--client-cert-auth")) {
      try (Client client =
          Client.builder()
              .endpoints(server.endpoint())
              .sslContext(
                  GrpcSslContexts.forClient()
                      .trustManager(certificates().file("ca.pem").toFile())
                      .keyManager(
                          certificates().file("client.pem").toFile(),
                          certificates().file("client.key").toFile())
                      .build())
              .build()) {
        demandLogin(client.getAuthClient());
      }
      EtcdSettings settings = EtcdSettings.of(server.endpoint()).toBuilder().tls(tls).build();
      try (EtcdStore store = EtcdStore.open(settings)) {
        for (Space space : Space.values()) {
          RecordKey key = RecordKey.of(space, DB);
          try (Watch watch = store.watch(space)) {
            WriteResult.Written written =
                (WriteResult.Written)
                    store.write(
                        new RecordWrite(
                            key, Optional.empty(), Optional.of(StateValue.of(new byte[] {1, 2}))));
            StoredRecord there = written.now().get(0);
            assertThat(store.read(key)).contains(there);
            assertThat(store.scan(space, Optional.empty(), 9).records()).contains(there);
            assertThat(watch.next(LONG)).contains(new Change.Written(there));
            assertThat(store.write(new RecordWrite(key, Optional.of(there), Optional.empty())))
                .isInstanceOf(WriteResult.Written.class);
          }
        }
      }
      assertThat(refusal(settings.toBuilder().prefix("/other").build()))
          .isEqualTo(
              "Opening the store failed: etcd at "
                  + server.endpoint()
                  + " does not allow the user to read and write below '/other/'. Correct the login,"
                  + " or the role of the user in etcd.");
    }
  }
}
