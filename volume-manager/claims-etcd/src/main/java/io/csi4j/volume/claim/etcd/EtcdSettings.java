package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.state.seal.Sealer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where etcd is, and how it is asked.
 *
 * @param endpoints the members, as in {@code https://etcd-1:2379}
 * @param prefix what the names of all keys begin with
 * @param login the user; none if nothing is given
 * @param tls how connections are encrypted; given exactly when the endpoints begin with {@code
 *     https}
 * @param deadline how long each call may take; a claim takes two or three calls
 * @param sealer what claims are sealed with; they stand in clear if nothing is given
 */
public record EtcdSettings(
    List<URI> endpoints,
    EtcdPrefix prefix,
    Optional<EtcdLogin> login,
    Optional<EtcdTls> tls,
    Duration deadline,
    Optional<Sealer> sealer) {

  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Checks the addresses and the deadline. */
  public EtcdSettings {
    endpoints = List.copyOf(endpoints);
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(login, "login");
    Objects.requireNonNull(tls, "tls");
    Objects.requireNonNull(sealer, "sealer");
    if (endpoints.isEmpty()) {
      throw new IllegalArgumentException(
          "No endpoint of etcd is given. Give at least one, such as http://127.0.0.1:2379.");
    }
    endpoints.forEach(EtcdSettings::check);
    boolean isSet = tls.isPresent();
    if (endpoints.stream().anyMatch(each -> isEncrypted(each) != isSet)) {
      throw new IllegalArgumentException(
          "Some endpoints of etcd begin with http though TLS is set, or with https though it is"
              + " not. Let all begin with https and set TLS, or neither.");
    }
    if (deadline.compareTo(SHORTEST) < 0 || deadline.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "The deadline for etcd is " + deadline + ". Use one from 100 ms to 1 minute.");
    }
  }

  private static void check(URI endpoint) {
    boolean isHttp = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
    String path = endpoint.getPath();
    boolean isBare =
        endpoint.getUserInfo() == null
            && endpoint.getQuery() == null
            && endpoint.getFragment() == null
            && (path == null || path.isEmpty());
    if (!isHttp || endpoint.getHost() == null || endpoint.getPort() < 1 || !isBare) {
      // Not shown: there may be a password in it.
      throw new IllegalArgumentException(
          "An endpoint of etcd is not of the form http://host:port or https://host:port. Give"
              + " nothing else in it; a user and a password go into the login.");
    }
  }

  /** Those members, without login; as the JVM trusts where they begin with {@code https}. */
  public static EtcdSettings of(URI... endpoints) {
    List<URI> all = List.of(endpoints);
    return new EtcdSettings(
        all,
        EtcdPrefix.DEFAULT,
        Optional.empty(),
        all.stream().anyMatch(EtcdSettings::isEncrypted)
            ? Optional.of(EtcdTls.asTheJvm())
            : Optional.empty(),
        Duration.ofSeconds(5),
        Optional.empty());
  }

  private static boolean isEncrypted(URI endpoint) {
    return "https".equals(endpoint.getScheme());
  }

  /** Returns the settings with another prefix. */
  public EtcdSettings below(EtcdPrefix other) {
    return new EtcdSettings(endpoints, other, login, tls, deadline, sealer);
  }

  /** Returns the settings, asked as this user. */
  public EtcdSettings as(EtcdLogin user) {
    return new EtcdSettings(endpoints, prefix, Optional.of(user), tls, deadline, sealer);
  }

  /** Returns the settings, encrypted so. */
  public EtcdSettings over(EtcdTls encryption) {
    return new EtcdSettings(endpoints, prefix, login, Optional.of(encryption), deadline, sealer);
  }

  /** Returns the settings with another deadline. */
  public EtcdSettings within(Duration other) {
    return new EtcdSettings(endpoints, prefix, login, tls, other, sealer);
  }

  /**
   * The same, with claims sealed. Those that stand in clear are read, and sealed when they are
   * written the next time. All hosts of the claims need the key.
   */
  public EtcdSettings sealedBy(Sealer seal) {
    return new EtcdSettings(endpoints, prefix, login, tls, deadline, Optional.of(seal));
  }

  /** The addresses, for people. */
  String addresses() {
    return endpoints.stream().map(URI::toString).collect(Collectors.joining(", "));
  }
}
