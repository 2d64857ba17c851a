package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.TlsSettings;
import io.csi4j.volume.state.seal.Sealer;
import io.csi4j.volume.store.StoreIdentity;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints of etcd, and the settings for requests to etcd. Immutable, with value equality. The
 * method {@code toString} shows no secrets.
 *
 * @since 1.0
 */
public final class EtcdSettings {

  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Builder parts;

  private EtcdSettings(Builder parts) {
    if (parts.endpoints.isEmpty()) {
      throw new IllegalArgumentException(
          "No endpoint of etcd is configured. Set at least one, such as http://127.0.0.1:2379.");
    }
    parts.endpoints.forEach(EtcdSettings::check);
    this.parts = parts.copy();
    if (parts.tls == null && parts.endpoints.stream().anyMatch(EtcdSettings::isEncrypted)) {
      this.parts.tls = TlsSettings.asTheJvm();
    }
    boolean isSet = this.parts.tls != null;
    if (parts.endpoints.stream().anyMatch(each -> isEncrypted(each) != isSet)) {
      throw new IllegalArgumentException(
          "Some endpoints of etcd begin with http although TLS is set, or with https although it is"
              + " not. Use https for all endpoints and set TLS, or neither.");
    }
    if (parts.deadline.compareTo(SHORTEST) < 0 || parts.deadline.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "The deadline for etcd is " + parts.deadline + ". Use one from 100 ms to 1 minute.");
    }
  }

  /** Returns a builder for settings with these endpoints and without a login. */
  public static Builder builder(URI... endpoints) {
    return new Builder(List.of(endpoints));
  }

  /** Returns a builder with the values of these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /**
   * Returns settings with these endpoints and without a login. Endpoints with {@code https} are
   * verified with the certificate authorities of the JVM.
   */
  public static EtcdSettings of(URI... endpoints) {
    return builder(endpoints).build();
  }

  /** Returns the endpoints, such as {@code https://etcd-1:2379}. */
  public List<URI> endpoints() {
    return parts.endpoints;
  }

  /** Returns the prefix of all keys, which ends with a slash. */
  public String prefix() {
    return parts.prefix;
  }

  /** Returns the login; empty if this process does not log in. */
  public Optional<EtcdLogin> login() {
    return Optional.ofNullable(parts.login);
  }

  /**
   * Returns the settings for encrypted connections; present exactly if the endpoints begin with
   * {@code https}.
   */
  public Optional<TlsSettings> tls() {
    return Optional.ofNullable(parts.tls);
  }

  /** Returns the time limit of each call to etcd. A claim needs two or three calls. */
  public Duration deadline() {
    return parts.deadline;
  }

  /** Returns the key with which records are encrypted; empty if they are stored in clear text. */
  public Optional<Sealer> sealer() {
    return Optional.ofNullable(parts.sealer);
  }

  /** Returns the identity that the store must have; empty if every identity is accepted. */
  public Optional<StoreIdentity> identity() {
    return Optional.ofNullable(parts.identity);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EtcdSettings that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "EtcdSettings" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("endpoints", parts.endpoints);
    all.put("prefix", parts.prefix);
    all.put("login", login());
    all.put("tls", tls());
    all.put("deadline", parts.deadline);
    all.put("sealer", sealer());
    all.put("identity", identity());
    return all;
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
      // The message does not show the endpoint, which may contain a password.
      throw new IllegalArgumentException(
          "An endpoint of etcd is not of the form http://host:port or https://host:port. Give"
              + " nothing else; set the user and the password as the login.");
    }
  }

  private static boolean isEncrypted(URI endpoint) {
    return "https".equals(endpoint.getScheme());
  }

  /** Returns the endpoints as text for display. */
  String addresses() {
    return parts.endpoints.stream().map(URI::toString).collect(Collectors.joining(", "));
  }

  /** Builder of {@link EtcdSettings}. */
  public static final class Builder {
    private final List<URI> endpoints;
    private String prefix = "/csi4j/";
    private @Nullable EtcdLogin login;
    private @Nullable TlsSettings tls;
    private Duration deadline = Duration.ofSeconds(5);
    private @Nullable Sealer sealer;
    private @Nullable StoreIdentity identity;

    private Builder(List<URI> endpoints) {
      this.endpoints = endpoints;
    }

    private Builder copy() {
      Builder copy = new Builder(endpoints);
      copy.prefix = prefix;
      copy.login = login;
      copy.tls = tls;
      copy.deadline = deadline;
      copy.sealer = sealer;
      copy.identity = identity;
      return copy;
    }

    /**
     * Sets the prefix of all keys. If it does not end with a slash, a slash is added. The default
     * is {@code /csi4j/}. If several stores use the same etcd, no prefix may be the beginning of
     * another prefix.
     *
     * @throws IllegalArgumentException if the value is not a valid prefix
     */
    public Builder prefix(String value) {
      Names.check("prefix of keys", value);
      prefix = value.endsWith("/") ? value : value + "/";
      return this;
    }

    /** Sets the user name and password. By default, this process does not log in. */
    public Builder login(EtcdLogin value) {
      login = Objects.requireNonNull(value, "login");
      return this;
    }

    /**
     * Sets the certificates for encrypted connections. By default, endpoints with {@code https} are
     * verified with the certificate authorities of the JVM.
     */
    public Builder tls(TlsSettings value) {
      tls = Objects.requireNonNull(value, "tls");
      return this;
    }

    /** Sets the time limit of each call to etcd, from 100 ms to 1 minute. The default is 5 s. */
    public Builder deadline(Duration value) {
      deadline = Objects.requireNonNull(value, "deadline");
      return this;
    }

    /**
     * Sets the key with which records are encrypted. Existing records in clear text can still be
     * read, and are encrypted when they are next written. All hosts that use the store need the
     * key. By default, records are stored in clear text.
     */
    public Builder sealer(Sealer value) {
      sealer = Objects.requireNonNull(value, "sealer");
      return this;
    }

    /**
     * Sets the identity that the store must have, as returned by {@code RecordStore.identity}. A
     * store with another identity, even an empty store, is opened only for reading until an
     * operator settles it.
     */
    public Builder identity(StoreIdentity value) {
      identity = Objects.requireNonNull(value, "identity");
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalArgumentException if an endpoint is invalid, if only some of the endpoints are
     *     encrypted, or if the deadline is too short or too long
     */
    public EtcdSettings build() {
      return new EtcdSettings(this);
    }
  }
}
