package io.csi4j.volume.plugin.launch;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.disk.FileStatus;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.path.CarefulDisk;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRole;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All requirements for starting a plugin, which are the same for each start: directories, bind
 * mounts, environment variables and privileges. Only {@link #prepare} changes the host.
 *
 * @since 1.0
 */
public final class PluginLaunchPlan {

  /** The environment variable with the socket on which a plugin listens. */
  public static final String ENDPOINT = "CSI_ENDPOINT";

  private static final int WRITABLE_BY_GROUP = 0020;
  private static final int WRITABLE_BY_ALL = 0002;
  private static final String SYS_ADMIN = "CAP_SYS_ADMIN";
  private static final Path DEVICES = Path.of("/dev");

  private final PluginConfig config;
  private final boolean contained;
  private final Map<String, String> environment;

  /**
   * A directory of the host that must be visible to the plugin, and writable.
   *
   * @param source the directory on the host
   * @param target the path of the directory in the plugin
   * @param propagation the direction in which mounts below the directory must propagate
   */
  public record Bind(Path source, PluginPath target, Propagation propagation) {}

  private PluginLaunchPlan(PluginConfig config, boolean contained, Map<String, String> variables) {
    this.config = config;
    this.contained =
        contained
            || config.seesSocketDirectoryAt().isPresent()
            || config.seesVolumeRootAt().isPresent();
    Map<String, String> all = new HashMap<>(variables);
    String meant = config.pluginEndpoint().path().toString();
    String given = all.putIfAbsent(ENDPOINT, "unix://" + meant);
    if (given != null && !given.equals("unix://" + meant) && !given.equals("unix:" + meant)) {
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_CONFIG_REFUSED,
              Subject.of("planning the start of plugin '" + config.id() + "'"),
              ENDPOINT
                  + " is set to '"
                  + given
                  + "', but this host connects to what the plugin sees as 'unix://"
                  + meant
                  + "'; leave it out, or change the directory or name of the socket"));
    }
    environment = Map.copyOf(all);
  }

  /** Returns the plan for a plugin that needs no environment variable except {@value #ENDPOINT}. */
  public static PluginLaunchPlan of(PluginConfig config) {
    return new PluginLaunchPlan(config, false, Map.of());
  }

  /**
   * Returns a copy of this plan that sets whether the plugin has its own view of the filesystem.
   * The default is false if the plugin sees its directories at the paths of the host. A plugin that
   * sees one of them at another path always has its own view.
   */
  public PluginLaunchPlan withContained(boolean value) {
    return new PluginLaunchPlan(config, value, environment);
  }

  /**
   * Returns a copy of this plan with additional environment variables of the user. They may include
   * {@value #ENDPOINT} in another format that the plugin needs, such as {@code unix:/csi/csi.sock}.
   *
   * @throws PluginException if {@value #ENDPOINT} names another socket than the socket to which the
   *     host connects
   */
  public PluginLaunchPlan withEnvironment(Map<String, String> variables) {
    Map<String, String> all = new HashMap<>(environment);
    all.putAll(variables);
    return new PluginLaunchPlan(config, contained, all);
  }

  /** Returns the configuration of the plugin. */
  public PluginConfig config() {
    return config;
  }

  /**
   * Returns whether the plugin has its own view of the filesystem, in which only bound directories
   * are visible.
   */
  public boolean isContained() {
    return contained;
  }

  /**
   * Returns the directories that must exist. {@link #prepare} creates missing ones with mode 0700.
   */
  public List<Path> directories() {
    List<Path> directories = new ArrayList<>();
    directories.add(config.socketDirectory());
    config.volumeRoot().ifPresent(directories::add);
    return List.copyOf(directories);
  }

  /**
   * Returns the required bind mounts, in the order in which they must be made; empty for a plugin
   * that sees the filesystem of the host. Only the mounts that the plugin creates for volumes must
   * propagate to the host.
   */
  public List<Bind> binds() {
    if (!contained) {
      return List.of();
    }
    List<Bind> binds = new ArrayList<>();
    Path sockets = config.socketDirectory();
    binds.add(
        new Bind(
            sockets,
            config.seesSocketDirectoryAt().orElseGet(() -> same(sockets)),
            Propagation.PRIVATE));
    if (isForNodes()) {
      config
          .volumeRoot()
          .ifPresent(
              root ->
                  binds.add(
                      new Bind(
                          root,
                          config.seesVolumeRootAt().orElseGet(() -> same(root)),
                          Propagation.BIDIRECTIONAL)));
      binds.add(new Bind(DEVICES, same(DEVICES), Propagation.PRIVATE));
    }
    return List.copyOf(binds);
  }

  /**
   * Returns the environment variables of the plugin: the variables of the user, and {@value
   * #ENDPOINT} if the user did not set it. The library adds no other variables.
   */
  public Map<String, String> environment() {
    return environment;
  }

  /**
   * Returns the Linux capabilities that the plugin must have. A plugin that mounts volumes needs
   * one.
   */
  public Set<String> capabilities() {
    return isForNodes() ? Set.of(SYS_ADMIN) : Set.of();
  }

  /** Returns the socket, as the host sees it. */
  public CsiEndpoint endpoint() {
    return config.endpoint();
  }

  /** Returns the binding with which the volume manager reaches the plugin. */
  public PluginBinding binding() {
    return config.registration(InstanceId.ONLY).binding();
  }

  /**
   * Creates the missing directories, and removes the socket of a plugin that has ended. Only a
   * socket without a listener is removed. Call this method before each start. Idempotent.
   *
   * @throws PluginException if the plugin must not be started, because other users may write to the
   *     directory of its socket, a symbolic link or another file is at a required path, or a
   *     process already listens on the socket
   */
  public void prepare() {
    CarefulDisk disk = new CarefulDisk(new RealDisk());
    Subject subject = Subject.of("preparing the start of plugin '" + config.id() + "'");
    MountPath looked = MountPath.of(endpoint().path());
    try {
      for (Path each : directories()) {
        looked = MountPath.of(each);
        make(disk, looked);
      }
      looked = MountPath.of(config.socketDirectory());
      checkWritable(disk, looked, subject);
      looked = MountPath.of(endpoint().path());
      removeStale(disk, looked, subject);
    } catch (PathProblem problem) {
      throw new PluginException(
          Messages.of(
              problem.kind() == PathProblem.Kind.SYMLINK
                  ? OperatorCode.PLUGIN_SOCKET_DENIED
                  : problem.kind().code(),
              subject.at(looked),
              String.valueOf(problem.getMessage())));
    }
  }

  /** Creates a directory with its parents. An existing directory is not changed. */
  private static void make(CarefulDisk disk, MountPath directory) throws PathProblem {
    if (disk.isDirectory(directory)) {
      return;
    }
    if (!directory.isRoot() && disk.look(directory.parent()).isEmpty()) {
      make(disk, directory.parent());
    }
    disk.make(directory, new ArrayList<>());
  }

  private static void checkWritable(CarefulDisk disk, MountPath directory, Subject subject)
      throws PathProblem {
    int mode = disk.look(directory).map(FileStatus::mode).orElse(0);
    if ((mode & (WRITABLE_BY_GROUP | WRITABLE_BY_ALL)) != 0) {
      boolean isForAll = (mode & WRITABLE_BY_ALL) != 0;
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_SOCKET_DENIED,
              subject.at(directory),
              "%s may write to the directory of its socket (mode 0%o), so others could listen in its"
                      .formatted(isForAll ? "everybody" : "a group", mode)
                  + " place",
              new OperatorMessage.Part(
                  "Remove that right with 'chmod go-w " + directory + "', then start it")));
    }
  }

  private static void removeStale(CarefulDisk disk, MountPath socket, Subject subject)
      throws PathProblem {
    boolean isListening =
        disk.look(socket).filter(there -> there.kind() == FileFacts.Kind.SOCKET).isPresent()
            && isListening(socket.toPath());
    if (isListening) {
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_DUPLICATE,
              subject.at(socket),
              "a process already listens at its socket, so the socket was not removed and the "
                  + "plugin not started",
              new OperatorMessage.Part(
                  "If that is the plugin of an earlier run, use it as it is or stop it; otherwise"
                      + " give this one a directory of its own")));
    }
    disk.deleteSocket(socket);
  }

  /**
   * Returns whether a process listens or may listen on the socket. Connects to the socket without
   * sending data, and does not wait for an answer.
   */
  private static boolean isListening(Path socket) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException refused) {
      return false;
    } catch (IOException unclear) {
      // Permission is missing, or the socket has another type, so a process may be listening.
      return true;
    }
  }

  private boolean isForNodes() {
    return config.roles().contains(PluginRole.NODE);
  }

  private static PluginPath same(Path path) {
    return PluginPath.of(path.toString());
  }

  /** Returns a description of the plan, without the values of variables. */
  @Override
  public String toString() {
    return "PluginLaunchPlan["
        + config.id()
        + (contained ? ", contained" : ", on the host")
        + ", with "
        + environment.keySet()
        + "]";
  }
}
