package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A directory in which registrars announce plugins, watched. Registers what they announce, tells
 * them what has become of it, and deregisters it when their socket is gone. Speaks the protocol of
 * Kubernetes' plugin registration, so that the registrars made for it work unchanged.
 *
 * <p>Other files in the directory, links, directories, and names that begin with a dot are passed
 * over. A registrar that is silent holds up no other. What is registered stays registered when the
 * watch is closed.
 */
public final class RegistrationWatch implements AutoCloseable {

  private final OpenedWatch opened;

  private RegistrationWatch(OpenedWatch opened) {
    this.opened = opened;
  }

  /**
   * A watch that is not begun yet.
   *
   * @param directory where the registrars have their sockets; only they and this process should be
   *     able to write there. It may come later, and go and come again.
   * @param registry where plugins are registered
   */
  public static Builder builder(Path directory, PluginRegistry registry) {
    return new Builder(directory, registry);
  }

  /** Returns what is registered through it now, by the names of the sockets. */
  public List<Announcement> registered() {
    return opened.registered();
  }

  /**
   * Stops watching. What is registered stays so. All threads end, within some seconds. Not for the
   * listener to call, which is waited for.
   */
  @Override
  public void close() {
    opened.close();
  }

  /** Collects what a watch is begun with. */
  public static final class Builder {

    private final Path directory;
    private final PluginRegistry registry;
    private Optional<PluginSupervisor> supervisor = Optional.empty();
    private AnnouncementPolicy policy = AnnouncementPolicy.nodes();
    private RegistrationListener listener = event -> {};
    private ConnectOptions options = ConnectOptions.defaults();
    private Duration limit = Duration.ofSeconds(5);
    private Duration interval = Duration.ofSeconds(1);
    private Duration grace = Duration.ofSeconds(2);

    private Builder(Path directory, PluginRegistry registry) {
      this.directory = directory.toAbsolutePath();
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /** Sets what becomes of an announcement. {@link AnnouncementPolicy#nodes} by default. */
    public Builder policy(AnnouncementPolicy value) {
      policy = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the supervisor of the plugins for which the policy wants one. */
    public Builder supervisor(PluginSupervisor value) {
      supervisor = Optional.of(value);
      return this;
    }

    /** Sets the listener. */
    public Builder listener(RegistrationListener value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * How to connect to registrars: who has to listen, how safe the directory has to be. Their
     * deadline and sizes are not used.
     */
    public Builder connectOptions(ConnectOptions value) {
      options = Objects.requireNonNull(value, "value");
      return this;
    }

    /** How long connecting to a registrar, and each call to it, may take. 5 s by default. */
    public Builder limit(Duration value) {
      limit = positive(value);
      return this;
    }

    /** The longest time between two looks at the directory. 1 s by default. */
    public Builder interval(Duration value) {
      interval = positive(value);
      return this;
    }

    /**
     * How long a socket may be gone before its plugin is deregistered, so that a registrar can make
     * it again. 2 s by default.
     */
    public Builder grace(Duration value) {
      grace = positive(value);
      return this;
    }

    /** Begins to watch. */
    public RegistrationWatch open() {
      return new RegistrationWatch(
          OpenedWatch.open(
              directory,
              registry,
              supervisor,
              policy,
              listener,
              new WatchSettings(options, limit, interval, grace)));
    }

    private static Duration positive(Duration value) {
      if (value.isZero() || value.isNegative()) {
        throw new IllegalArgumentException(
            "A time of a registration watch has to be positive, not " + value + ".");
      }
      return value;
    }
  }
}
