package io.csi4j.volume.plugin;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import io.csi4j.volume.internal.link.SocketPaths;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a plugin, which a host knows before the plugin runs: its name and roles, its
 * directories, and its time limits. The configuration does not contain how the plugin is started.
 *
 * <pre>{@code
 * PluginConfig config =
 *     PluginConfig.builder("ebs", sockets)
 *         .role("node")
 *         .volumeRoot(volumes)
 *         .infoInterval(Duration.ofMinutes(5)) // maximum age of the limits of its node
 *         .build();
 * }</pre>
 *
 * @since 1.0
 */
public final class PluginConfig {

  private final Builder parts;
  private final PluginId id;
  private final Set<PluginRole> roles;

  private PluginConfig(Builder parts) {
    this.parts = parts;
    id = PluginId.of(parts.id);
    roles = Set.copyOf(parts.roles);
  }

  /**
   * Returns a builder for a plugin that serves volumes on this node, with the default time limits.
   *
   * @param id the host's name for the plugin
   * @param socketDirectory the directory on this host in which the plugin creates its socket; no
   *     other plugin may use it
   */
  public static Builder builder(String id, Path socketDirectory) {
    return new Builder(id, socketDirectory);
  }

  /**
   * Returns a builder for a plugin that serves volumes on this node, by its socket, with the
   * default time limits.
   *
   * @param id the host's name for the plugin
   * @param socket the socket of the plugin, in a directory that no other plugin uses
   */
  public static Builder builder(String id, CsiEndpoint socket) {
    Path path = socket.path();
    Path directory = Objects.requireNonNull(path.getParent(), "directory of the socket");
    Path name = Objects.requireNonNull(path.getFileName(), "name of the socket");
    return builder(id, directory).socketName(name.toString());
  }

  /** Returns a builder with this configuration. */
  public Builder toBuilder() {
    return new Builder(parts);
  }

  /** Returns the host's name for the plugin. */
  public PluginId id() {
    return id;
  }

  /** Returns the roles of the plugin. */
  public Set<PluginRole> roles() {
    return roles;
  }

  /** Returns the directory on this host in which the plugin creates its socket. */
  public Path socketDirectory() {
    return parts.socketDirectory;
  }

  /**
   * Returns the path of the socket's directory as the plugin sees it, if it differs from the path
   * on the host.
   */
  public Optional<PluginPath> seesSocketDirectoryAt() {
    return Optional.ofNullable(parts.seesSocketDirectoryAt);
  }

  /** Returns the file name of the plugin's socket. */
  public String socketName() {
    return parts.socketName;
  }

  /**
   * Returns the directory of the volume manager, in which the plugin stages and publishes, if any.
   */
  public Optional<Path> volumeRoot() {
    return Optional.ofNullable(parts.volumeRoot);
  }

  /**
   * Returns the path of the volume manager's directory as the plugin sees it, if it differs from
   * the path on the host.
   */
  public Optional<PluginPath> seesVolumeRootAt() {
    return Optional.ofNullable(parts.seesVolumeRootAt);
  }

  /** Returns the time limit for the plugin to become ready for the first time. */
  public Duration healthTimeout() {
    return parts.healthTimeout;
  }

  /** Returns the time between two probes until the plugin is ready. */
  public Duration startInterval() {
    return parts.startInterval;
  }

  /** Returns the time between two probes after the plugin has become ready. */
  public Duration probeInterval() {
    return parts.probeInterval;
  }

  /**
   * Returns how long the plugin's answer about its node remains valid: the volume limit, the
   * topology and the id of the node. Zero means that the answer remains valid until the process
   * changes.
   */
  public Duration infoInterval() {
    return parts.infoInterval;
  }

  /** Returns the time limit of a probe, and of each call that asks for capabilities. */
  public Duration probeLimit() {
    return parts.probeLimit;
  }

  /** Returns the number of consecutive failed probes after which the plugin counts as unhealthy. */
  public int failuresToUnhealthy() {
    return parts.failuresToUnhealthy;
  }

  /**
   * Returns the number of consecutive good answers after which an unhealthy plugin is ready again.
   */
  public int answersToReady() {
    return parts.answersToReady;
  }

  /** Returns the policy for mounting volumes with the plugin. */
  public MountPolicy policy() {
    return parts.policy;
  }

  /**
   * Returns the options for connecting to the plugin, such as the user that must listen on the
   * socket, and the name that the plugin must have.
   */
  public ConnectOptions connectOptions() {
    return parts.connectOptions;
  }

  /** Returns the socket, as this host sees it. */
  public CsiEndpoint endpoint() {
    return CsiEndpoint.of(parts.socketDirectory.resolve(parts.socketName));
  }

  /** Returns the socket, as the plugin sees it: the value of {@code CSI_ENDPOINT}. */
  public CsiEndpoint pluginEndpoint() {
    PluginPath seen = parts.seesSocketDirectoryAt;
    return seen == null
        ? endpoint()
        : CsiEndpoint.of(Path.of(seen.value()).resolve(parts.socketName));
  }

  /** Returns an instance of the plugin, ready to be registered. */
  public PluginRegistration registration(InstanceId instance) {
    PluginBinding.Builder binding =
        PluginBinding.builder(id, endpoint())
            .policy(parts.policy)
            .connectOptions(parts.connectOptions);
    seesVolumeRootAt().ifPresent(binding::seesRootAt);
    return new PluginRegistration(binding.build(), instance, roles);
  }

  @Override
  public String toString() {
    return "PluginConfig[" + id + " at " + endpoint() + "]";
  }

  /** Collects the parts of a {@link PluginConfig}. */
  public static final class Builder {

    private static final String SUFFIX = ".sock";

    private final String id;
    private final Path socketDirectory;
    private Set<PluginRole> roles = EnumSet.of(PluginRole.NODE);
    private @Nullable String role;
    private @Nullable PluginPath seesSocketDirectoryAt;
    private String socketName = "csi.sock";
    private @Nullable Path volumeRoot;
    private @Nullable PluginPath seesVolumeRootAt;
    private Duration healthTimeout = Duration.ofSeconds(30);
    private Duration startInterval = Duration.ofSeconds(5);
    private Duration probeInterval = Duration.ofSeconds(30);
    private Duration infoInterval = Duration.ofMinutes(10);
    private Duration probeLimit = Duration.ofSeconds(5);
    private int failuresToUnhealthy = 3;
    private int answersToReady = 1;
    private MountPolicy policy = MountPolicy.defaults();
    private ConnectOptions connectOptions = ConnectOptions.defaults();

    private Builder(String id, Path socketDirectory) {
      this.id = Objects.requireNonNull(id, "id");
      this.socketDirectory = Objects.requireNonNull(socketDirectory, "socketDirectory");
    }

    private Builder(Builder other) {
      id = other.id;
      socketDirectory = other.socketDirectory;
      roles = other.roles;
      role = other.role;
      seesSocketDirectoryAt = other.seesSocketDirectoryAt;
      socketName = other.socketName;
      volumeRoot = other.volumeRoot;
      seesVolumeRootAt = other.seesVolumeRootAt;
      healthTimeout = other.healthTimeout;
      startInterval = other.startInterval;
      probeInterval = other.probeInterval;
      infoInterval = other.infoInterval;
      probeLimit = other.probeLimit;
      failuresToUnhealthy = other.failuresToUnhealthy;
      answersToReady = other.answersToReady;
      policy = other.policy;
      connectOptions = other.connectOptions;
    }

    /** Sets the roles of the plugin. By default, the plugin serves only volumes on this node. */
    public Builder roles(Set<PluginRole> value) {
      roles = Set.copyOf(value);
      role = null;
      return this;
    }

    /** Sets the roles by a configuration value: node, controller or monolith. */
    public Builder role(String word) {
      role = Objects.requireNonNull(word, "word");
      return this;
    }

    /**
     * Sets the path of the socket's directory as the plugin sees it, for a plugin in a container.
     * By default, this is the path on the host.
     */
    public Builder seesSocketDirectoryAt(PluginPath value) {
      seesSocketDirectoryAt = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the file name of the plugin's socket. {@code csi.sock} by default. */
    public Builder socketName(String value) {
      socketName = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the directory of the volume manager. Required for a plugin that serves nodes. */
    public Builder volumeRoot(Path value) {
      volumeRoot = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the path of the volume manager's directory as the plugin sees it, for a plugin in a
     * container. By default, this is the path on the host.
     */
    public Builder seesVolumeRootAt(PluginPath value) {
      seesVolumeRootAt = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time limit for the plugin to become ready for the first time. 30 s by default. */
    public Builder healthTimeout(Duration value) {
      healthTimeout = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time between two probes until the plugin is ready. 5 s by default. */
    public Builder startInterval(Duration value) {
      startInterval = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Sets the time between two probes after the plugin has become ready. 30 s by default. */
    public Builder probeInterval(Duration value) {
      probeInterval = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the time after which a plugin that serves nodes is asked again for its identity and
     * capabilities. This includes NodeGetInfo with the volume limit, the topology and the node id,
     * which may change while the plugin runs. The question is asked with the next probe, or sooner
     * after {@link PluginRegistry#recheck}. 10 minutes by default. With zero, the plugin is asked
     * again only when its process may have changed.
     */
    public Builder infoInterval(Duration value) {
      infoInterval = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the time limit of a probe, and of each call that asks for capabilities. 5 s by default.
     */
    public Builder probeLimit(Duration value) {
      probeLimit = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the number of consecutive failed probes after which the plugin is unhealthy. 3 by
     * default.
     */
    public Builder failuresToUnhealthy(int value) {
      failuresToUnhealthy = value;
      return this;
    }

    /**
     * Sets the number of consecutive good answers after which the plugin is ready again. 1 by
     * default.
     */
    public Builder answersToReady(int value) {
      answersToReady = value;
      return this;
    }

    /**
     * Sets the policy for mounting volumes with the plugin. {@link MountPolicy#defaults()} by
     * default.
     */
    public Builder policy(MountPolicy value) {
      policy = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the options for connecting to the plugin. They can require the user that listens on the
     * socket, and the name of the plugin. {@link ConnectOptions#defaults()} by default.
     */
    public Builder connectOptions(ConnectOptions value) {
      connectOptions = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws PluginException if the configuration is invalid; the message lists all violations
     */
    public PluginConfig build() {
      List<String> wrong = violations();
      if (!wrong.isEmpty()) {
        throw new PluginException(
            Messages.of(
                OperatorCode.PLUGIN_CONFIG_REFUSED,
                Subject.of("configuring the plugin '" + id + "'"),
                String.join("; ", wrong)));
      }
      Builder checked = new Builder(this);
      checked.roles = roles().orElseThrow();
      return new PluginConfig(checked);
    }

    // ---- rules, which read only the configuration

    /** Returns all violations, each as a clause for people. */
    private List<String> violations() {
      List<String> wrong = new ArrayList<>();
      id(id, wrong);
      Optional<Set<PluginRole>> served = roles();
      if (served.isEmpty()) {
        wrong.add(
            "it must serve node, controller or monolith, not "
                + (role == null ? "nothing" : quoted(role)));
      }
      socketName(socketName, wrong);
      directory("the directory of its socket", socketDirectory, wrong);
      Path root = volumeRoot;
      if (root != null) {
        directory("the directory of the volume manager", root, wrong);
      } else if (served.isEmpty() || served.get().contains(PluginRole.NODE)) {
        wrong.add("a plugin that serves nodes needs the directory of the volume manager");
      }
      nesting(wrong);
      socketLength(wrong);
      positive("health timeout", healthTimeout, wrong);
      positive("start interval", startInterval, wrong);
      positive("probe interval", probeInterval, wrong);
      positive("probe limit", probeLimit, wrong);
      if (infoInterval.isNegative()) {
        wrong.add("the info interval must be zero or positive, but is " + infoInterval);
      }
      positive("number of failures until it is unhealthy", failuresToUnhealthy, wrong);
      positive("number of answers until it is ready", answersToReady, wrong);
      return List.copyOf(wrong);
    }

    /** Returns the roles; empty if they are invalid. */
    private Optional<Set<PluginRole>> roles() {
      String word = role;
      if (word == null) {
        return Optional.of(roles).filter(given -> !given.isEmpty());
      }
      try {
        return Optional.of(PluginRole.parse(word));
      } catch (IllegalArgumentException unknown) {
        return Optional.empty();
      }
    }

    private static void id(String id, List<String> wrong) {
      try {
        var unused = PluginId.of(id);
      } catch (IllegalArgumentException refused) {
        wrong.add(id.isEmpty() ? "its id is empty" : "its id is too long or not printable");
      }
    }

    private static void socketName(String name, List<String> wrong) {
      if (name.indexOf('/') >= 0 || name.chars().anyMatch(Character::isISOControl)) {
        wrong.add(
            "the name of its socket " + quoted(name) + " must be a single name without a slash");
      } else if (!name.endsWith(SUFFIX)) {
        wrong.add("the name of its socket " + quoted(name) + " does not end in " + SUFFIX);
      }
    }

    private static void directory(String what, Path path, List<String> wrong) {
      if (!path.isAbsolute() || !path.equals(path.normalize())) {
        wrong.add(what + " " + quoted(path) + " must be absolute, without . and ..");
      } else if (path.getParent() == null) {
        wrong.add(what + " is the root of the filesystem");
      }
    }

    /**
     * Checks that neither of the two directories contains the other, because cleaning up one
     * directory must not affect the other.
     */
    private void nesting(List<String> wrong) {
      Path root = volumeRoot;
      if (root == null) {
        return;
      }
      apart("on this host", socketDirectory, root, wrong);
      Path seenSocket = seen(seesSocketDirectoryAt, socketDirectory);
      Path seenRoot = seen(seesVolumeRootAt, root);
      boolean isAnotherView = !seenSocket.equals(socketDirectory) || !seenRoot.equals(root);
      if (isAnotherView) {
        apart("as the plugin sees them", seenSocket, seenRoot, wrong);
      }
    }

    private static void apart(String where, Path sockets, Path root, List<String> wrong) {
      Path first = sockets.normalize();
      Path second = root.normalize();
      if (first.startsWith(second) || second.startsWith(first)) {
        wrong.add(
            "the directory of its socket "
                + quoted(sockets)
                + " and that of the volume manager "
                + quoted(root)
                + ", "
                + where
                + ", must be separate, neither inside the other");
      }
    }

    private void socketLength(List<String> wrong) {
      int fits = SocketPaths.longest(connectOptions);
      length("", socketDirectory, socketName, fits, wrong);
      if (seesSocketDirectoryAt != null) {
        Path seen = Path.of(seesSocketDirectoryAt.value());
        length(" as the plugin sees it", seen, socketName, SocketPaths.ON_LINUX, wrong);
      }
    }

    private static void length(
        String view, Path directory, String name, int fits, List<String> wrong) {
      int bytes = (directory + "/" + name).getBytes(StandardCharsets.UTF_8).length;
      if (bytes > fits) {
        wrong.add(
            "the path of its socket"
                + view
                + " has "
                + bytes
                + " bytes, but only "
                + fits
                + " "
                + "fit");
      }
    }

    private static void positive(String what, Duration value, List<String> wrong) {
      if (value.isZero() || value.isNegative()) {
        wrong.add("the " + what + " must be positive, but is " + value);
      }
    }

    private static void positive(String what, int value, List<String> wrong) {
      if (value < 1) {
        wrong.add("the " + what + " must be 1 or more, but is " + value);
      }
    }

    private static Path seen(@Nullable PluginPath plugin, Path host) {
      return plugin == null ? host : Path.of(plugin.value());
    }

    private static String quoted(Object text) {
      return "'" + ForeignText.of(text.toString()) + "'";
    }
  }
}
