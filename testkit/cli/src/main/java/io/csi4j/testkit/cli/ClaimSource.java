package io.csi4j.testkit.cli;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimPage;
import io.csi4j.volume.claim.etcd.EtcdLogin;
import io.csi4j.volume.claim.etcd.EtcdPassword;
import io.csi4j.volume.claim.etcd.EtcdPrefix;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.etcd.EtcdStore;
import io.csi4j.volume.claim.etcd.EtcdTls;
import io.csi4j.volume.claim.etcd.Pem;
import io.csi4j.volume.claim.view.ClaimsView;
import io.csi4j.volume.store.RecordStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where claims are read, which is done without writing anything. */
final class ClaimSource {

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Read the claims on this disk, in the directory of a LocalStore.")
  private @Nullable Path directory;

  @Option(
      names = "--etcd",
      paramLabel = "URL",
      description =
          "Read the claims in etcd, at an endpoint such as http://127.0.0.1:2379. Repeatable.")
  private List<URI> etcd = List.of();

  @Option(
      names = "--etcd-prefix",
      paramLabel = "PREFIX",
      description = "Below which key the claims are. Default: /csi4j/.")
  private @Nullable String prefix;

  @Option(names = "--etcd-user", paramLabel = "NAME", description = "The user to log in as.")
  private @Nullable String user;

  @Option(
      names = "--etcd-password",
      paramLabel = "FILE",
      description = "The file whose first line is the password of the user. Never printed.")
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

  /**
   * What was read.
   *
   * @param claims the claims, by volume
   * @param trouble what a person has to look after
   */
  record Read(List<Claim> claims, List<String> trouble) {

    Read {
      claims = List.copyOf(claims);
      trouble = List.copyOf(trouble);
    }
  }

  /** Reads all claims. */
  Read read() {
    if ((directory == null) == etcd.isEmpty()) {
      throw CommandFailure.usage(
          "Say where the claims are: write either --directory DIR or --etcd URL.");
    }
    Path here = directory;
    return CommandFailure.orUsage(() -> here == null ? ofEtcd() : ofDirectory(here));
  }

  private static Read ofDirectory(Path directory) {
    ClaimsView view = ClaimsView.read(directory.toAbsolutePath().normalize());
    List<String> trouble = new ArrayList<>(view.unreadable());
    view.uncertainties().forEach(doubt -> trouble.add(doubt.reason() + ": " + doubt.text()));
    return new Read(view.claims(), trouble.stream().map(OneLine::of).toList());
  }

  private Read ofEtcd() {
    EtcdSettings.Builder settings =
        EtcdSettings.builder(etcd.toArray(URI[]::new)).deadline(Duration.ofSeconds(10));
    if (prefix != null) {
      settings.prefix(EtcdPrefix.of(prefix));
    }
    if (user != null) {
      settings.login(new EtcdLogin(user, EtcdPassword.of(password())));
    }
    if (trusted != null || certificate != null) {
      settings.tls(tls());
    }
    try (RecordStore store = EtcdStore.look(settings.build())) {
      ClaimPage all = ClaimsView.all(store);
      return new Read(
          all.claims(), all.unreadable().stream().map(each -> OneLine.of(each.problem())).toList());
    }
  }

  private String password() {
    if (password == null) {
      throw CommandFailure.usage("--etcd-user needs --etcd-password FILE.");
    }
    List<String> lines = UserFile.lines("the password", password);
    return lines.isEmpty() ? "" : lines.get(0);
  }

  private EtcdTls tls() {
    EtcdTls tls = trusted == null ? EtcdTls.asTheJvm() : EtcdTls.trusting(Pem.file(trusted));
    if (certificate == null) {
      return tls;
    }
    if (key == null) {
      throw CommandFailure.usage("--etcd-cert needs --etcd-key FILE.");
    }
    return tls.showing(new EtcdTls.ClientCertificate(Pem.file(certificate), Pem.file(key)));
  }
}
