package io.csi4j.volume.plugin.launch;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.internal.path.CarefulDisk;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.PluginException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;

/**
 * The directories that a plugin needs before it starts, without the socket of one that is gone.
 * Making them again changes nothing.
 */
final class LaunchDirectories {

  private static final int WRITABLE_BY_ALL = 0002;

  private final CarefulDisk disk;

  LaunchDirectories(Disk disk) {
    this.disk = new CarefulDisk(disk);
  }

  /**
   * Whether a process listens, or that cannot be ruled out. Asks the kernel, by connecting and
   * sending nothing; waits for no answer.
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

  /**
   * Makes the directories that are missing, and removes a socket without a listener.
   *
   * @throws PluginException if the plugin must not be started, because something is in the way
   */
  public void prepare(PluginLaunchPlan plan) {
    Subject subject = Subject.of("preparing the start of plugin '" + plan.config().id() + "'");
    MountPath looked = MountPath.of(plan.endpoint().path());
    try {
      for (Path each : plan.directories()) {
        looked = MountPath.of(each);
        make(looked);
      }
      looked = MountPath.of(plan.config().socketDirectory());
      checkWritable(looked, subject);
      looked = MountPath.of(plan.endpoint().path());
      removeStale(looked, subject);
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

  /** Makes a directory with those above it; one that is there stays as it is. */
  private void make(MountPath directory) throws PathProblem {
    if (disk.isDirectory(directory)) {
      return;
    }
    if (!directory.isRoot() && disk.look(directory.parent()).isEmpty()) {
      make(directory.parent());
    }
    disk.make(directory, new ArrayList<>());
  }

  private void checkWritable(MountPath directory, Subject subject) throws PathProblem {
    int mode = disk.look(directory).map(FileFacts::mode).orElse(0);
    if ((mode & WRITABLE_BY_ALL) != 0) {
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_SOCKET_DENIED,
              subject.at(directory),
              "everybody may write to the directory of its socket (mode 0%o), so anybody could"
                      .formatted(mode)
                  + " listen in its place",
              new OperatorMessage.Part(
                  "Take that right away with 'chmod o-w " + directory + "', then start it")));
    }
  }

  private void removeStale(MountPath socket, Subject subject) throws PathProblem {
    boolean isListening =
        disk.look(socket).filter(there -> there.kind() == FileFacts.Kind.SOCKET).isPresent()
            && isListening(socket.toPath());
    if (isListening) {
      throw new PluginException(
          Messages.of(
              OperatorCode.PLUGIN_DUPLICATE,
              subject.at(socket),
              "somebody listens at its socket already, so it was neither removed nor the plugin"
                  + " started",
              new OperatorMessage.Part(
                  "If that is the plugin of an earlier run, use it as it is or stop it; otherwise"
                      + " give this one a directory of its own")));
    }
    disk.deleteSocket(socket);
  }
}
