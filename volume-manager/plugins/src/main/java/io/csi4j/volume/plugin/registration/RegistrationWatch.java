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
 * A directory in which registrars announce plugins, watched. Registers what they announce, tells
 * them what has become of it, and deregisters it when their socket is gone. Speaks the protocol of
 * Kubernetes' plugin registration, so that the registrars made for it work unchanged.
 *
 * <p>Other files in the directory, links, directories, and names that begin with a dot are passed
 * over. A registrar that is silent holds up no other. What is registered stays registered when the
 * watch is closed.
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
    return watch.registered();
  }

  /**
   * Stops watching. What is registered stays so. The listener is told what has happened, and all
   * threads end, within some seconds. Not for the policy to call, which is waited for.
   */
  @Override
  public void close() {
    try {
      bell.close();
    } catch (Exception e) {
      LOGGER.log(Level.WARNING, "The bell of a registration watch could not be closed.", e);
    }
    watch.close();
    conversations.close();
    scheduler.close();
    hub.close(CLOSING);
  }

  /** Collects what a watch is begun with. */
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

    /** Sets what becomes of an announcement. {@link Policy#nodes} by default. */
    public Builder policy(Policy value) {
      policy = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the supervisor of the plugins for which the policy wants one. */
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
     * How to connect to registrars: who has to listen, how safe the directory has to be. Their
     * deadline and sizes are not used.
     */
    public Builder connectOptions(ConnectOptions value) {
      options = Objects.requireNonNull(value, "value");
      return this;
    }

    /** How long connecting to a registrar, and each call to it, may take. 5 s by default. */
    public Builder limit(Duration value) {
      limit = Durations.positive("limit", value);
      return this;
    }

    /** The longest time between two looks at the directory. 1 s by default. */
    public Builder interval(Duration value) {
      interval = Durations.positive("interval", value);
      return this;
    }

    /**
     * How long a socket may be gone before its plugin is deregistered, so that a registrar can make
     * it again. 2 s by default.
     */
    public Builder grace(Duration value) {
      grace = Durations.positive("grace", value);
      return this;
    }

    /** Sets how long a registrar is left alone after its first failure. */
    Builder firstPause(Duration value) {
      firstPause = Durations.positive("first pause", value);
      return this;
    }

    /** Begins to watch. */
    public RegistrationWatch open() {
      RegistrationWatch opened = new RegistrationWatch(this);
      opened.watch.lookSoon();
      return opened;
    }
  }

  /**
   * A plugin that a registrar announces, fit to be registered.
   *
   * @param socket the socket of the registrar
   * @param announcer who listens there
   * @param name what the plugin is called
   * @param endpoint where it listens, as the registrar says; not looked at yet
   * @param versions the versions of CSI that it speaks; one of them is 1.x
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
   * Makes a registration of what is announced, or refuses it. Asked for one announcement at a time;
   * one that throws has refused. What a {@link io.csi4j.volume.plugin.PluginException} says is told
   * to the registrar and the listener, of other exceptions the class only.
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
        /** Checks that it is there. */
        public Register {
          Objects.requireNonNull(registration, "registration");
        }
      }

      /**
       * The plugin is supervised, and registered while it is ready.
       *
       * @param config its configuration; its socket has to be the announced one
       * @param instance which instance it is
       */
      record Supervise(PluginConfig config, InstanceId instance) implements Decision {
        /** Checks that all parts are there. */
        public Supervise {
          Objects.requireNonNull(config, "config");
          Objects.requireNonNull(instance, "instance");
        }
      }

      /**
       * The plugin is refused.
       *
       * @param reason why, as a clause for people; the registrar is told
       */
      record Refuse(String reason) implements Decision {
        /** Checks that it is there. */
        public Refuse {
          Objects.requireNonNull(reason, "reason");
        }
      }
    }

    /**
     * Registers every plugin under its own name, for volumes of this node, and demands that name of
     * it when it is connected. The instance is called after the socket of its registrar, so that
     * one that comes again takes its own place.
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
   * Something that happened to a socket of a registrar.
   *
   * @since 1.0
   */
  public sealed interface Event {

    /** The socket of the registrar, or the directory if it is about all of them. */
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
     * An announced plugin is registered no more: the socket is gone, or announces something else.
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
     * Something that an operator has to know: it was refused, or gives no answer, or was given up.
     *
     * @param socket where
     * @param message what
     */
    record Noticed(Path socket, OperatorMessage message) implements Event {}
  }

  /**
   * A listener who is told what happens to registrars. Events come in order, one at a time and
   * under no lock; a listener that throws or blocks does no harm, and it may close the watch. Of
   * more than 10 000 events that wait for it the oldest are dropped, and the log says how many.
   *
   * @since 1.0
   */
  @FunctionalInterface
  public interface Listener {

    /** Told of one event. */
    void on(Event event);
  }
}
