package io.csi4j.volume.model;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The place of a plugin: its endpoint, its view of the manager's directory, and its treatment.
 *
 * @since 1.0
 */
public final class PluginBinding {

  private final PluginId id;
  private final CsiEndpoint endpoint;
  private final @Nullable PluginPath seesRootAt;
  private final MountPolicy policy;
  private final ConnectOptions connectOptions;
  private final SecretsProvider storageSecrets;

  private PluginBinding(Builder builder) {
    id = builder.id;
    endpoint = builder.endpoint;
    seesRootAt = builder.seesRootAt;
    policy = builder.policy;
    connectOptions = builder.connectOptions;
    storageSecrets = builder.storageSecrets;
  }

  /** Returns a plugin that runs on the host, treated as most are. */
  public static PluginBinding of(PluginId id, CsiEndpoint endpoint) {
    return builder(id, endpoint).build();
  }

  /** Begins with a plugin that runs on the host, treated as most are. */
  public static Builder builder(PluginId id, CsiEndpoint endpoint) {
    return new Builder(id, endpoint);
  }

  /** Returns the name under which the host knows it. */
  public PluginId id() {
    return id;
  }

  /** Returns where its node service listens. */
  public CsiEndpoint endpoint() {
    return endpoint;
  }

  /** Returns where it sees the manager's directory, if not where the host does. */
  public Optional<PluginPath> seesRootAt() {
    return Optional.ofNullable(seesRootAt);
  }

  /** Returns how it is treated. */
  public MountPolicy policy() {
    return policy;
  }

  /** Returns how to connect to it. */
  public ConnectOptions connectOptions() {
    return connectOptions;
  }

  /** Returns the secrets for questions about its storage, which belong to no volume. */
  public SecretsProvider storageSecrets() {
    return storageSecrets;
  }

  @Override
  public String toString() {
    return "PluginBinding[" + id + " at " + endpoint + "]";
  }

  /** Collects what a binding may have. */
  public static final class Builder {

    private final PluginId id;
    private final CsiEndpoint endpoint;
    private @Nullable PluginPath seesRootAt;
    private MountPolicy policy = MountPolicy.defaults();
    private ConnectOptions connectOptions = ConnectOptions.defaults();
    private SecretsProvider storageSecrets = SecretsProvider.none();

    private Builder(PluginId id, CsiEndpoint endpoint) {
      this.id = Objects.requireNonNull(id, "id");
      this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    }

    /**
     * Sets where it sees the manager's directory: for a plugin in a container. Where the host does
     * by default.
     */
    public Builder seesRootAt(PluginPath path) {
      seesRootAt = Objects.requireNonNull(path, "path");
      return this;
    }

    /** Sets how it is treated. {@link MountPolicy#defaults()} by default. */
    public Builder policy(MountPolicy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /**
     * Sets how to connect to it; attempts and deadlines of calls come from the policy. {@link
     * ConnectOptions#defaults()} by default.
     */
    public Builder connectOptions(ConnectOptions options) {
      connectOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /** Sets the secrets for questions about its storage. None by default. */
    public Builder storageSecrets(SecretsProvider provider) {
      storageSecrets = Objects.requireNonNull(provider, "provider");
      return this;
    }

    /** Returns the binding. */
    public PluginBinding build() {
      return new PluginBinding(this);
    }
  }
}
