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
 * Everything that is needed to start a plugin, the same for each start: directories, bind mounts,
 * variables and privileges. Only {@link #prepare} changes anything.
 *
 * @since 1.0
 */
public final class PluginLaunchPlan {

  /** The variable that holds the socket on which a plugin listens. */
  public static final String ENDPOINT = "CSI_ENDPOINT";

  private static final int WRITABLE_BY_GROUP = 0020;
  private static final int WRITABLE_BY_ALL = 0002;
  private static final String SYS_ADMIN = "CAP_SYS_ADMIN";
  private static final Path DEVICES = Path.of("/dev");

  private final PluginConfig config;
  private final boolean contained;
  private final Map<String, String> environment;

  /**
   * A directory of the host that the plugin must see, writable.
   *
   * @param source the directory on the host
   * @param target where the plugin sees it
   * @param propagation in which direction mounts below it must propagate
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

  /** Returns the plan for a plugin that needs only the variable of CSI. */
  public static PluginLaunchPlan of(PluginConfig config) {
    return new PluginLaunchPlan(config, false, Map.of());
  }

  /**
   * Returns this plan with the setting whether the plugin has its own view of the filesystem
   * although it sees its directories at the paths of the host. Not by default; a plugin that sees
   * one of them at another path always has its own view.
   */
  public PluginLaunchPlan withContained(boolean value) {
    return new PluginLaunchPlan(config, value, environment);
  }

  /**
   * Returns this plan with more variables of the user, all of which are kept. {@value #ENDPOINT}
   * may be among them, in another form that the plugin needs ({@code unix:/csi/csi.sock}).
   *
   * @throws PluginException if {@value #ENDPOINT} names another socket than the host connects to
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
   * Returns whether the plugin has its own view of the filesystem, and sees only bound directories.
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
   * Returns the required bind mounts, in this order; empty for a plugin that sees the filesystem of
   * the host. Only mounts that the plugin makes for volumes must propagate to the host.
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
   * Returns the environment variables of the plugin: those of the user, and {@value #ENDPOINT} if
   * it is not among them. The library adds no other variable.
   */
  public Map<String, String> environment() {
    return environment;
  }

  /** Returns the Linux capabilities that the plugin must have: one for a plugin that mounts. */
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
   * Creates the missing directories, and removes the socket of a plugin that has ended: only a
   * socket, and only if it has no listener. Call this before each start. Idempotent.
   *
   * @throws PluginException if the plugin must not be started: other users may write to the
   *     directory of its socket, a symbolic link or another file is in the way, or a process
   *     listens
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

  /** Creates a directory with its parents; an existing one is not changed. */
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
   * Returns whether a process listens, or may listen. Asks the kernel by connecting and sending
   * nothing; waits for no answer.
   */
  private static boolean isListening(Path socket) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException refused) {
      return false;
    } catch (IOException unclear) {
      // No permission, or another kind of socket.
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
