package io.csi4j.volume.internal.port;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.PluginId;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The engine's interface to the kernel's mounts. Failures are {@code MountException}s. */
public interface KernelMounts {

  /** Returns the boot and the mount namespace of this process. */
  Place place();

  /**
   * Returns the mounts at a path, the topmost mount last. Never accesses the mounted filesystem. If
   * a health check has found that the server of a mount has ended, the mount is reported as dead
   * from then on.
   */
  List<Sighting> at(MountPath path);

  /**
   * Returns the identity of the topmost mount at a path, which is cheaper than {@link #at}; empty
   * if nothing is mounted at the path, or if mounts have no identities.
   */
  default Optional<MountRef.Identity> top(MountPath path) {
    return Optional.empty();
  }

  /**
   * Returns the identity of the mount that contains a path; empty if the path does not exist, or if
   * mounts have no identities. This walks along the path, so it may wait for the servers of mounts
   * on it.
   */
  default Optional<MountRef.Identity> mountOf(MountPath path) {
    return Optional.empty();
  }

  /**
   * Returns all mounts below a directory, read at once. Of several mounts at one path, the topmost
   * comes last.
   */
  List<Sighting> beneath(MountPath directory);

  /**
   * Returns the number of the block device whose node is at a path, such as {@code 8:1}; empty if
   * the path has no such node, or if the number cannot be determined. Only for paths of block
   * volumes.
   */
  Optional<String> device(MountPath path);

  /**
   * Holds the block device at a path open until {@link #letGo} is called. The device is opened in
   * the background, because opening may block forever. Only for paths of block volumes.
   *
   * @param then receives empty once the device is open, or the reason why it is not held; called on
   *     any thread
   * @return false if the device is held already, so {@code then} is not called
   */
  default boolean hold(MountPath path, Consumer<Optional<String>> then) {
    return false;
  }

  /**
   * Closes the device that is held open at a path.
   *
   * @param closed called once the device is closed, on any thread; never called if no device is
   *     held
   * @return whether a device is held
   */
  default boolean letGo(MountPath path, Runnable closed) {
    return false;
  }

  /**
   * Returns the filesystem and the directory in it that are visible at a directory of the host;
   * empty if this cannot be determined.
   */
  default Optional<ShownDirectory> shown(MountPath directory) {
    return Optional.empty();
  }

  /**
   * Returns the processes and mounts that keep the topmost mount at a path in use, in one line for
   * people; empty if none was found. Other mounts of the same filesystem do not keep a mount in
   * use.
   */
  Optional<String> holders(MountPath path);

  /**
   * Returns the mounts that other programs have made of the block device that is mounted at a path.
   * Empty if the mounted filesystem has no block device, or if the mount shows only a directory of
   * it. The result contains the mounts in this namespace, of any directory of the filesystem, that
   * are newer than the mount at the path. It contains neither mounts below {@code own} nor the
   * kernel's copies of such mounts.
   */
  List<Sighting> elsewhere(MountPath path, MountPath own);

  /**
   * The directory of a filesystem that is visible at a path.
   *
   * @param device the device number of the filesystem, as text
   * @param root the directory in the filesystem, escaped as in the mount table
   */
  record ShownDirectory(String device, String root) {

    /** Returns whether a mount shows exactly this directory. */
    public boolean isShownBy(Sighting mount) {
      return mount.device().equals(device) && mount.evidence().root().equals(root);
    }

    /** Returns whether a mount shows this directory or a directory inside it. */
    public boolean holdsWhatIsShownBy(Sighting mount) {
      return mount.device().equals(device) && holds(mount.evidence().root());
    }

    /** Returns whether this directory is the given directory of the filesystem, or contains it. */
    public boolean holds(String directory) {
      String inside = root.equals("/") ? "/" : root + "/";
      return directory.equals(root) || directory.startsWith(inside);
    }
  }

  /** Receives changes of the mount table, on a thread that must not be blocked. */
  interface Changes {

    /** Called when a mount has appeared at a path. */
    void came(MountPath path);

    /** Called when a mount at a path was removed or moved to another path. */
    void went(MountPath path);

    /** Called when changes were missed, so any mount may have appeared or disappeared. */
    void missed();
  }

  /**
   * Starts to report the changes of the mount table, as far as the kernel reports them.
   *
   * @return an action that ends the reports; earlier changes may still be reported after it
   */
  default Runnable watch(Changes changes) {
    return () -> {};
  }

  /** Returns whether changes are being reported. */
  default boolean isWatched() {
    return false;
  }

  /**
   * Returns whether the health of the topmost mount at a path can be determined only by a query to
   * its server.
   */
  default boolean mustAsk(MountPath path) {
    return false;
  }

  /**
   * Determines the health of the topmost mount at a path, if necessary by a query to its server.
   * The calling thread never waits for the server.
   *
   * @param plugin the plugin of the mount. A server that hangs delays only the queries to other
   *     mounts of this plugin
   * @param then receives the health, on any thread. When a server answers after its time limit, one
   *     of the callers that received {@code SILENT} is called a second time. Never called if the
   *     process ends first, or if there is no thread for the query
   */
  default void ask(PluginId plugin, MountPath path, Consumer<Sighting.Health> then) {
    List<Sighting> stack = at(path);
    then.accept(stack.isEmpty() ? Sighting.Health.WELL : stack.get(stack.size() - 1).health());
  }

  /**
   * Unmounts all mounts at a path without calling a plugin, lazily if necessary. Returns true after
   * a lazy unmount, because processes with open files may still be using the device.
   */
  boolean unmount(MountPath path);

  /**
   * Unmounts the dead mounts at a path from the top, and stops at the first mount that is not dead.
   * Returns true if a mount was detached while it was in use.
   *
   * @throws io.csi4j.mount.model.MountException if a mount cannot be unmounted, for example because
   *     it is in use and must not be detached
   */
  boolean unmountDead(MountPath path, DeadUnmount how);
}
