package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.etcd.EtcdLogin;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.jdbc.JdbcSettings;
import io.csi4j.volume.claim.jdbc.PostgresStore;
import io.csi4j.volume.model.Pem;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.state.seal.AesGcmSealer;
import io.csi4j.volume.state.seal.SealException;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.StoreIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a store in etcd or PostgreSQL, and the key that seals its records. */
final class SharedStoreOptions {

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  @Option(
      names = "--etcd",
      paramLabel = "URL",
      description = "The store in etcd, at an endpoint such as http://127.0.0.1:2379. Repeatable.")
  private List<URI> etcd = List.of();

  @Option(
      names = "--etcd-prefix",
      paramLabel = "PREFIX",
      description = "The prefix of the keys of the records. Default: /csi4j/.")
  private @Nullable String prefix;

  @Option(names = "--etcd-user", paramLabel = "NAME", description = "The user to log in as.")
  private @Nullable String user;

  @Option(
      names = "--etcd-password",
      paramLabel = "FILE",
      description = "A file with the password in its first line.")
  private @Nullable Path password;

  @Option(
      names = "--etcd-ca",
      paramLabel = "FILE",
      description = "The certificates to trust, in PEM. Default: those of the JVM.")
  private @Nullable Path trusted;

  @Option(names = "--etcd-cert", paramLabel = "FILE", description = "The client's certificate.")
  private @Nullable Path certificate;

  @Option(names = "--etcd-key", paramLabel = "FILE", description = "The key of that certificate.")
  private @Nullable Path key;

  @Option(
      names = "--jdbc",
      paramLabel = "URL",
      description =
          "The store in PostgreSQL, such as jdbc:postgresql://db.example/csi4j. No password in it.")
  private @Nullable String jdbc;

  @Option(
      names = "--jdbc-driver",
      paramLabel = "JAR",
      description = "The jar of the JDBC driver, such as postgresql-42.7.14.jar.")
  private @Nullable Path driver;

  @Option(
      names = "--jdbc-schema",
      paramLabel = "NAME",
      description = "The schema with the tables. Default: the user's.")
  private @Nullable String schema;

  @Option(names = "--jdbc-user", paramLabel = "NAME", description = "The user to log in as.")
  private @Nullable String jdbcUser;

  @Option(
      names = "--jdbc-password",
      paramLabel = "FILE",
      description = "A file with the password in its first line.")
  private @Nullable Path jdbcPassword;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "A file with the keys of sealed records: lines ID BASE64.")
  private @Nullable Path keyFile;

  private @Nullable DataSource source;

  /** Returns whether the command line names a store in etcd or PostgreSQL. */
  boolean isGiven() {
    return !etcd.isEmpty() || jdbc != null;
  }

  /**
   * Returns the sealer with the key from the command line; empty if the command line names no key.
   */
  Optional<Sealer> sealer() {
    return sealer(keyFile);
  }

  /** Returns the sealer with the key in a file; empty without a file. */
  static Optional<Sealer> sealer(@Nullable Path file) {
    if (file == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(AesGcmSealer.fromFile(file));
    } catch (SealException e) {
      throw CommandFailure.usage(OneLine.of(String.valueOf(e.getMessage())));
    }
  }

  /** Opens the store only for reading. */
  RecordStore look() {
    return CommandFailure.orUsage(
        () ->
            isEtcd()
                ? EtcdStore.look(etcdSettings())
                : PostgresStore.look(source(), jdbcSettings()));
  }

  /** Opens the store for writing. A new store gets the mark that identifies it as a store. */
  RecordStore open() {
    return CommandFailure.orUsage(
        () ->
            isEtcd()
                ? EtcdStore.open(etcdSettings())
                : PostgresStore.open(source(), jdbcSettings()));
  }

  /**
   * Settles the store if it accepts no writes, and returns its identity.
   *
   * @param then the action on the settled store
   */
  StoreIdentity settle(Consumer<RecordStore> then) {
    if (isEtcd()) {
      try (EtcdStore store = CommandFailure.orUsage(() -> EtcdStore.open(etcdSettings()))) {
        StoreIdentity now = store.readOnly().isPresent() ? store.settle() : store.identity();
        then.accept(store);
        return now;
      }
    }
    try (PostgresStore store =
        CommandFailure.orUsage(() -> PostgresStore.open(source(), jdbcSettings()))) {
      StoreIdentity now = store.readOnly().isPresent() ? store.settle() : store.identity();
      then.accept(store);
      return now;
    }
  }

  private boolean isEtcd() {
    if (jdbc != null && !etcd.isEmpty()) {
      throw CommandFailure.usage("There are two stores. Write either --etcd URL or --jdbc URL.");
    }
    return jdbc == null;
  }

  private EtcdSettings etcdSettings() {
    EtcdSettings.Builder settings =
        EtcdSettings.builder(etcd.toArray(URI[]::new)).deadline(DEADLINE);
    sealer().ifPresent(settings::sealer);
    if (prefix != null) {
      settings.prefix(prefix);
    }
    if (user == null && password != null) {
      throw CommandFailure.usage("--etcd-password needs --etcd-user NAME.");
    }
    if (user != null) {
      settings.login(EtcdLogin.of(user, firstLine("--etcd", password).toCharArray()));
    }
    if (trusted != null || certificate != null) {
      settings.tls(tls());
    }
    return settings.build();
  }

  private static String firstLine(String option, @Nullable Path file) {
    if (file == null) {
      throw CommandFailure.usage("%s-user needs %s-password FILE.".formatted(option, option));
    }
    List<String> lines = UserFile.lines("the password", file);
    return lines.isEmpty() ? "" : lines.get(0);
  }

  private TlsSettings tls() {
    TlsSettings tls =
        trusted == null ? TlsSettings.asTheJvm() : TlsSettings.trusting(Pem.file(trusted));
    if (certificate == null) {
      return tls;
    }
    if (key == null) {
      throw CommandFailure.usage("--etcd-cert needs --etcd-key FILE.");
    }
    return tls.showing(new TlsSettings.Certificate(Pem.file(certificate), Pem.file(key)));
  }

  /** Returns the data source of the command. Repeated reads use the same connection. */
  private DataSource source() {
    DataSource known = source;
    if (known == null) {
      // No password is read if the command line has neither a user nor a password file, because the
      // URL may contain the user.
      Optional<String> secret =
          jdbcUser == null && jdbcPassword == null
              ? Optional.empty()
              : Optional.of(firstLine("--jdbc", jdbcPassword));
      known =
          JdbcSource.of(
              String.valueOf(jdbc),
              Optional.ofNullable(driver),
              Optional.ofNullable(jdbcUser),
              secret);
      source = known;
    }
    return known;
  }

  private JdbcSettings jdbcSettings() {
    JdbcSettings.Builder settings = JdbcSettings.builder().deadline(DEADLINE);
    sealer().ifPresent(settings::sealer);
    if (schema != null) {
      settings.schema(schema);
    }
    return settings.build();
  }
}
