package io.csi4j.volume.internal.port;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.PluginId;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The port to the kernel's mounts, as far as volumes need it. Failures are {@code MountException}s.
 */
public interface KernelMounts {

  /** Returns the boot and the mount namespace of this process. */
  Place place();

  /**
   * Returns the mounts at a path, the one on top last; never accesses the mounted filesystem. A
   * mount whose server was found to have ended is dead from then on.
   */
  List<Sighting> at(MountPath path);

  /**
   * Returns the identity of the mount on top at a path, which is cheaper than {@link #at}; empty if
   * nothing is mounted there, or if mounts have no identities.
   */
  default Optional<MountRef.Identity> top(MountPath path) {
    return Optional.empty();
  }

  /**
   * Returns the identity of the mount in which a path is; empty if nothing exists there, or if
   * mounts have no identities. Walks through mounts over the path, whose servers may not answer.
   */
  default Optional<MountRef.Identity> mountOf(MountPath path) {
    return Optional.empty();
  }

  /** Returns all mounts below a directory in one look, the one on top last. */
  List<Sighting> beneath(MountPath directory);

  /**
   * Returns the block device that the node at a path stands for, such as {@code 8:1}; empty if
   * there is no such device, or it cannot be determined. Only for paths of block volumes.
   */
  Optional<String> device(MountPath path);

  /**
   * Holds the block device at a path open until it is released. Opening runs in the background, as
   * it may block forever. Only for paths of block volumes.
   *
   * @param then receives empty once the device is open, or else the reason why it is not held; on
   *     any thread
   * @return false if it is held already; then {@code then} is not called
   */
  default boolean hold(MountPath path, Consumer<Optional<String>> then) {
    return false;
  }

  /**
   * Releases the device that is held open at a path.
   *
   * @param closed called once it is closed, on any thread; never if none is held
   * @return whether one is held
   */
  default boolean letGo(MountPath path, Runnable closed) {
    return false;
  }

  /**
   * Returns the directory of a filesystem that is visible at a directory of the host; empty if that
   * does not exist.
   */
  default Optional<ShownDirectory> shown(MountPath directory) {
    return Optional.empty();
  }

  /**
   * Returns the processes and mounts that keep the mount on top at a path in use, in one line for
   * people; empty if none was found. Other mounts of its filesystem do not keep it in use.
   */
  Optional<String> holders(MountPath path);

  /**
   * Returns the mounts that other programs have made of the block device whose filesystem is
   * mounted on top at a path; empty if the filesystem has no device, or if only a directory of it
   * is mounted. The result has the mounts of this namespace, of any directory, that are newer than
   * that mount and are neither below {@code own} nor copies of mounts below it.
   */
  List<Sighting> elsewhere(MountPath path, MountPath own);

  /**
   * The directory of a filesystem that is visible at a path.
   *
   * @param device the device of the filesystem, as text
   * @param root the directory in the filesystem, escaped as in the mount table
   */
  record ShownDirectory(String device, String root) {

    /** Returns whether a mount shows exactly this directory. */
    public boolean isShownBy(Sighting mount) {
      return mount.device().equals(device) && mount.evidence().root().equals(root);
    }

    /** Returns whether a mount shows this directory or one inside it. */
    public boolean holdsWhatIsShownBy(Sighting mount) {
      return mount.device().equals(device) && holds(mount.evidence().root());
    }

    /** Returns whether this is that directory of the filesystem or one above it. */
    public boolean holds(String directory) {
      String inside = root.equals("/") ? "/" : root + "/";
      return directory.equals(root) || directory.startsWith(inside);
    }
  }

  /** Receives changes of the mount table, on a thread that must not be blocked. */
  interface Changes {

    /** Something was mounted at a path. */
    void came(MountPath path);

    /** A mount at a path is gone, or has moved elsewhere. */
    void went(MountPath path);

    /** Changes were missed: any mount may have appeared or disappeared. */
    void missed();
  }

  /**
   * Reports all changes from now on that the kernel reports.
   *
   * @return ends the reports; changes that happened before may still be reported
   */
  default Runnable watch(Changes changes) {
    return () -> {};
  }

  /** Returns whether changes are being reported. */
  default boolean isWatched() {
    return false;
  }

  /** Returns whether only the server of the mount on top at a path knows its health. */
  default boolean mustAsk(MountPath path) {
    return false;
  }

  /**
   * Determines the health of the mount on top at a path, if necessary by asking its server. The
   * calling thread never waits for the server.
   *
   * @param plugin the plugin of the mount. A server that hangs delays at most the questions to
   *     other mounts of this plugin
   * @param then receives the answer, on any thread: once, and possibly once more after {@code
   *     SILENT}. When the server answers at last, one of the callers that received {@code SILENT}
   *     is called again. Never called if the process ends first, or has no thread for the question
   */
  default void ask(PluginId plugin, MountPath path, Consumer<Sighting.Health> then) {
    List<Sighting> stack = at(path);
    then.accept(stack.isEmpty() ? Sighting.Health.WELL : stack.get(stack.size() - 1).health());
  }

  /**
   * Unmounts the mounts at a path without calling a plugin, lazily if necessary. Returns true after
   * a lazy unmount: processes with open files there still use the device.
   */
  boolean unmount(MountPath path);

  /**
   * Unmounts the dead mounts on top at a path, and no live mount. Returns true if they were
   * detached while in use.
   *
   * @throws io.csi4j.mount.model.MountException if that is not possible, as for a mount in use that
   *     must not be detached
   */
  boolean unmountDead(MountPath path, DeadUnmount how);
}
