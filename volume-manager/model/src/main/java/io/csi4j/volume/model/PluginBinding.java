package io.csi4j.volume.model;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a plugin: its endpoint, the path at which it sees the manager's directory,
 * and its policy.
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

  /** Returns the binding of a plugin that runs directly on the host, with the default policy. */
  public static PluginBinding of(PluginId id, CsiEndpoint endpoint) {
    return builder(id, endpoint).build();
  }

  /** Returns a builder for a plugin that runs directly on the host, with the default policy. */
  public static Builder builder(PluginId id, CsiEndpoint endpoint) {
    return new Builder(id, endpoint);
  }

  /** Returns the host's name for the plugin. */
  public PluginId id() {
    return id;
  }

  /** Returns the endpoint of the plugin's node service. */
  public CsiEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Returns the path at which the plugin sees the manager's directory, if it differs from the
   * host's path.
   */
  public Optional<PluginPath> seesRootAt() {
    return Optional.ofNullable(seesRootAt);
  }

  /** Returns the mount policy for the plugin. */
  public MountPolicy policy() {
    return policy;
  }

  /** Returns the options for connections to the plugin. */
  public ConnectOptions connectOptions() {
    return connectOptions;
  }

  /**
   * Returns the provider of secrets for queries about the plugin's storage. These queries concern
   * no particular volume.
   */
  public SecretsProvider storageSecrets() {
    return storageSecrets;
  }

  @Override
  public String toString() {
    return "PluginBinding[" + id + " at " + endpoint + "]";
  }

  /** Builder of a {@link PluginBinding}. */
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
     * Sets the path at which a plugin in a container sees the manager's directory. The default is
     * the host's path.
     */
    public Builder seesRootAt(PluginPath path) {
      seesRootAt = Objects.requireNonNull(path, "path");
      return this;
    }

    /** Sets the mount policy for the plugin. The default is {@link MountPolicy#defaults()}. */
    public Builder policy(MountPolicy policy) {
      this.policy = Objects.requireNonNull(policy, "policy");
      return this;
    }

    /**
     * Sets the options for connections to the plugin. Retries and timeouts of calls are settings of
     * the policy instead. The default is {@link ConnectOptions#defaults()}.
     */
    public Builder connectOptions(ConnectOptions options) {
      connectOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Sets the provider of secrets for queries about the plugin's storage. By default, these
     * queries have no secrets.
     */
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
