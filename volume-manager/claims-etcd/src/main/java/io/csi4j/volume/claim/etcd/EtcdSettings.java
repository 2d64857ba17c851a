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
 * The endpoints of etcd, and the settings for requests to it. Immutable; compares by value; its
 * text form is free of secrets.
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

  /** Returns a builder with these members, without login. */
  public static Builder builder(URI... endpoints) {
    return new Builder(List.of(endpoints));
  }

  /** Returns a builder with the values of these settings. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /**
   * Returns settings for these members, without login; members with {@code https} use the trust of
   * the JVM.
   */
  public static EtcdSettings of(URI... endpoints) {
    return builder(endpoints).build();
  }

  /** Returns the members, such as {@code https://etcd-1:2379}. */
  public List<URI> endpoints() {
    return parts.endpoints;
  }

  /** Returns the prefix of all keys, with a slash at its end. */
  public String prefix() {
    return parts.prefix;
  }

  /** Returns the user; empty for no login. */
  public Optional<EtcdLogin> login() {
    return Optional.ofNullable(parts.login);
  }

  /**
   * Returns the encryption of connections; present exactly when the endpoints begin with {@code
   * https}.
   */
  public Optional<TlsSettings> tls() {
    return Optional.ofNullable(parts.tls);
  }

  /** Returns the time limit of each call; a claim takes two or three calls. */
  public Duration deadline() {
    return parts.deadline;
  }

  /** Returns the key that seals records; empty if they are stored in clear text. */
  public Optional<Sealer> sealer() {
    return Optional.ofNullable(parts.sealer);
  }

  /** Returns the identity that the store must have; empty for any. */
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
      // The endpoint is not shown: it may contain a password.
      throw new IllegalArgumentException(
          "An endpoint of etcd is not of the form http://host:port or https://host:port. Give"
              + " nothing else; set the user and the password as the login.");
    }
  }

  private static boolean isEncrypted(URI endpoint) {
    return "https".equals(endpoint.getScheme());
  }

  /** The addresses, for display. */
  String addresses() {
    return parts.endpoints.stream().map(URI::toString).collect(Collectors.joining(", "));
  }

  /** Collects the parts of a {@link EtcdSettings}. */
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
     * Sets the prefix of all keys, {@code /csi4j/} by default; a slash is added at its end if it is
     * missing. Two stores in one etcd have different prefixes, of which none begins with the other.
     *
     * @throws IllegalArgumentException if the value cannot be a prefix
     */
    public Builder prefix(String value) {
      Names.check("prefix of keys", value);
      prefix = value.endsWith("/") ? value : value + "/";
      return this;
    }

    /** Sets the user. By default, there is no login. */
    public Builder login(EtcdLogin value) {
      login = Objects.requireNonNull(value, "login");
      return this;
    }

    /**
     * Sets the encryption of connections. By default, endpoints with {@code https} use the trust of
     * the JVM.
     */
    public Builder tls(TlsSettings value) {
      tls = Objects.requireNonNull(value, "tls");
      return this;
    }

    /** Limits each call, from 100 ms to 1 minute. 5 s by default. */
    public Builder deadline(Duration value) {
      deadline = Objects.requireNonNull(value, "deadline");
      return this;
    }

    /**
     * Seals records. Existing records in clear text can be read, and are sealed when they are
     * written the next time. All hosts of the store need the key.
     */
    public Builder sealer(Sealer value) {
      sealer = Objects.requireNonNull(value, "sealer");
      return this;
    }

    /**
     * Sets the identity that the store must have, as returned by {@code RecordStore.identity}.
     * Another store, even an empty one, is opened only for reading, until an operator settles it.
     */
    public Builder identity(StoreIdentity value) {
      identity = Objects.requireNonNull(value, "identity");
      return this;
    }

    /**
     * Builds the settings.
     *
     * @throws IllegalArgumentException for an invalid address, addresses of both kinds, or a
     *     deadline that is too short or too long
     */
    public EtcdSettings build() {
      return new EtcdSettings(this);
    }
  }
}
