package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PeerCredentials;
import io.csi4j.client.model.PluginName;
import io.csi4j.volume.internal.disk.DirectoryBell;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.supervision.PluginSupervisor;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Watches a directory in which registrars announce plugins. Registers an announced plugin, notifies
 * the registrar of the result, and deregisters the plugin when the registrar's socket is gone. Uses
 * the protocol of Kubernetes' plugin registration, so that existing registrars work without
 * changes.
 *
 * <p>Files that are not sockets, links, subdirectories, and names that begin with a dot are
 * skipped. A registrar that does not answer does not delay other registrars. Registered plugins
 * stay registered when the watch is closed.
 *
 * @since 1.0
 */
public final class RegistrationWatch implements AutoCloseable {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final SystemScheduler scheduler;
  private final RegistrarConversations conversations;
  private final SocketWatch watch;
  private final ListenerHub hub =
      new ListenerHub("registrations", "csi4j-volume-registration-events");
  private final AutoCloseable bell;

  private RegistrationWatch(Builder parts) {
    SocketWatch.Settings settings =
        new SocketWatch.Settings(
            parts.options, parts.limit, parts.interval, parts.grace, parts.firstPause);
    scheduler = new SystemScheduler(2, "csi4j-volume-registration", CLOSING);
    conversations = new RegistrarConversations(settings.connecting(), CLOSING);
    watch =
        new SocketWatch(
            new RealDisk(),
            parts.directory,
            settings,
            new SystemClock(),
            scheduler,
            conversations,
            new AnnouncedRegistration(parts.policy, parts.registry, parts.supervisor),
            hub.<Event>listen(parts.listener::on)::tell);
    bell = DirectoryBell.on(parts.directory, "csi4j-volume-registration-bell", watch::bellRings);
  }

  /**
   * Returns a builder for a watch.
   *
   * @param directory the directory with the sockets of the registrars. Only the registrars and this
   *     process should be able to write there. The directory may be created later, and may be
   *     removed and created again.
   * @param registry the registry for the plugins
   */
  public static Builder builder(Path directory, PluginRegistry registry) {
    return new Builder(directory, registry);
  }

  /**
   * Returns the announcements of the currently registered plugins, ordered by the names of the
   * sockets.
   */
  public List<Announcement> registered() {
    return watch.registered();
  }

  /**
   * Stops watching. Plugins stay registered. Within a few seconds, the listener receives the
   * waiting events, and all threads end. The policy must not call this method, because closing
   * waits for the policy.
   */
  @Override
  public void close() {
    try {
      bell.close();
    } catch (Exception e) {
      LOGGER.log(
          Level.WARNING, "The change notification of a registration watch could not be closed.", e);
    }
    watch.close();
    conversations.close();
    scheduler.close();
    hub.close(CLOSING);
  }

  /** Collects the parts of a {@link RegistrationWatch}. */
  public static final class Builder {

    private final Path directory;
    private final PluginRegistry registry;
    private Optional<PluginSupervisor> supervisor = Optional.empty();
    private Policy policy = Policy.nodes();
    private Listener listener = event -> {};
    private ConnectOptions options = ConnectOptions.defaults();
    private Duration limit = Duration.ofSeconds(5);
    private Duration interval = Duration.ofSeconds(1);
    private Duration grace = Duration.ofSeconds(2);
    private Duration firstPause = SocketWatch.FIRST_PAUSE;

    private Builder(Path directory, PluginRegistry registry) {
      this.directory = directory.toAbsolutePath();
      this.registry = Objects.requireNonNull(registry, "registry");
    }

    /** Sets the policy for announcements. {@link Policy#nodes} by default. */
    public Builder policy(Policy value) {
      policy = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the supervisor for the plugins that the policy decides to supervise. */
    public Builder supervisor(PluginSupervisor value) {
      supervisor = Optional.of(value);
      return this;
    }

    /** Sets the listener. */
    public Builder listener(Listener value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the options for connecting to registrars, such as the required user of the listener and
     * the checks of the directory. The deadline and the sizes in the options are ignored.
     */
    public Builder connectOptions(ConnectOptions value) {
      options = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time limit for connecting to a registrar, and for each call. 5 s by default. */
    public Builder limit(Duration value) {
      limit = Durations.positive("limit", value);
      return this;
    }

    /** Sets the maximum time between two reads of the directory. 1 s by default. */
    public Builder interval(Duration value) {
      interval = Durations.positive("interval", value);
      return this;
    }

    /**
     * Sets how long a socket may be missing before its plugin is deregistered, so that a registrar
     * can create it again. 2 s by default.
     */
    public Builder grace(Duration value) {
      grace = Durations.positive("grace", value);
      return this;
    }

    /** Sets the pause after the first failure of a registrar. */
    Builder firstPause(Duration value) {
      firstPause = Durations.positive("first pause", value);
      return this;
    }

    /** Starts the watch. */
    public RegistrationWatch open() {
      RegistrationWatch opened = new RegistrationWatch(this);
      opened.watch.lookSoon();
      return opened;
    }
  }

  /**
   * A plugin that a registrar announces, valid for registration.
   *
   * @param socket the socket of the registrar
   * @param announcer the process that listens on the registrar's socket
   * @param name the name of the plugin
   * @param endpoint the socket of the plugin, as the registrar reports it; not checked yet
   * @param versions the versions of CSI that the plugin supports; at least one is 1.x
   * @since 1.0
   */
  public record Announcement(
      Path socket,
      PeerCredentials announcer,
      PluginName name,
      CsiEndpoint endpoint,
      List<String> versions) {

    /** Copies the versions. */
    public Announcement {
      Objects.requireNonNull(socket, "socket");
      Objects.requireNonNull(announcer, "announcer");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(endpoint, "endpoint");
      versions = List.copyOf(versions);
    }
  }

  /**
   * Decides whether an announced plugin is registered, and how. Called for one announcement at a
   * time. An exception counts as a refusal: the registrar and the listener receive the message of a
   * {@link io.csi4j.volume.plugin.PluginException}, but only the class name of other exceptions.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface Policy {

    /** Decides about an announcement. */
    Decision decide(Announcement announcement);

    /** The possible decisions. */
    sealed interface Decision {

      /**
       * The plugin is registered, without supervision.
       *
       * @param registration its registration
       */
      record Register(PluginRegistration registration) implements Decision {
        /** Checks that the registration is present. */
        public Register {
          Objects.requireNonNull(registration, "registration");
        }
      }

      /**
       * The plugin is supervised, and registered while it is ready.
       *
       * @param config the configuration of the plugin, with the announced socket
       * @param instance the name of the instance
       */
      record Supervise(PluginConfig config, InstanceId instance) implements Decision {
        /** Checks that all parts are present. */
        public Supervise {
          Objects.requireNonNull(config, "config");
          Objects.requireNonNull(instance, "instance");
        }
      }

      /**
       * The plugin is refused.
       *
       * @param reason the reason, as a clause for people; it is sent to the registrar
       */
      record Refuse(String reason) implements Decision {
        /** Checks that the reason is present. */
        public Refuse {
          Objects.requireNonNull(reason, "reason");
        }
      }
    }

    /**
     * Returns a policy that registers every plugin under its own name, for volumes on this node,
     * and requires this name when it connects to the plugin. The instance has the name of the
     * registrar's socket, so that a restarted registrar replaces its earlier registration.
     */
    static Policy nodes() {
      return announcement ->
          new Decision.Register(
              PluginRegistration.node(
                  PluginBinding.builder(
                          PluginId.of(announcement.name().value()), announcement.endpoint())
                      .connectOptions(
                          ConnectOptions.builder().requireName(announcement.name()).build())
                      .build(),
                  InstanceId.of(String.valueOf(announcement.socket().getFileName()))));
    }
  }

  /**
   * An event of a registrar's socket.
   *
   * @since 1.0
   */
  public sealed interface Event {

    /**
     * Returns the socket of the registrar, or the directory if the event concerns all registrars.
     */
    Path socket();

    /**
     * An announced plugin was registered, or is supervised and registered while it is ready.
     *
     * @param announcement the announcement
     * @param registration the registration
     * @param update whether the same socket had registered that plugin before
     */
    record Registered(Announcement announcement, PluginRegistration registration, boolean update)
        implements Event {
      @Override
      public Path socket() {
        return announcement.socket();
      }
    }

    /**
     * An announced plugin is no longer registered, because the socket no longer exists or announces
     * another plugin.
     *
     * @param announcement the announcement
     * @param registration the registration
     */
    record Deregistered(Announcement announcement, PluginRegistration registration)
        implements Event {
      @Override
      public Path socket() {
        return announcement.socket();
      }
    }

    /**
     * A message for an operator: an announcement was refused, or a registrar does not answer or is
     * no longer contacted.
     *
     * @param socket the socket
     * @param message the message
     */
    record Noticed(Path socket, OperatorMessage message) implements Event {}
  }

  /**
   * Receives the events of registrars. Events arrive in order, one at a time, and no lock is held.
   * A listener that blocks or throws an exception does not affect the watch. The listener may close
   * the watch. If more than 10 000 events wait for a listener, the oldest events are dropped, and
   * their number is logged.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface Listener {

    /** Receives one event. */
    void on(Event event);
  }
}
