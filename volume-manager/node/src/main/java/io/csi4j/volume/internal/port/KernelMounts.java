package io.csi4j.volume.internal.port;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.PluginId;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The kernel's mounts, as far as volumes are concerned. Failures are {@code MountException}s. */
public interface KernelMounts {

  /** The boot and the mount namespace that this process is in. */
  Place place();

  /**
   * Returns the mounts at a path, the one on top last; never waits for what is mounted there. A
   * mount whose server was found to have ended is dead from then on.
   */
  List<Sighting> at(MountPath path);

  /**
   * Returns the identity of the mount on top at a path, cheaper than all of {@link #at}; empty if
   * nothing is mounted there, or mounts cannot be told apart.
   */
  default Optional<MountRef.Identity> top(MountPath path) {
    return Optional.empty();
  }

  /** Everything that is mounted below a directory, in one look, the one on top last. */
  List<Sighting> beneath(MountPath directory);

  /**
   * Returns the block device that the node at a path stands for, such as {@code 8:1}; nothing if it
   * is none, or that cannot be found out. Only for paths of block volumes.
   */
  Optional<String> device(MountPath path);

  /**
   * Holds the block device at a path open until it is let go, in its own time: to open a device can
   * take for ever. Only for paths of block volumes.
   *
   * @param then told, once it is open, of nothing, and else why it is not held; on any thread
   * @return false if it is held already; then nothing is told
   */
  default boolean hold(MountPath path, Consumer<Optional<String>> then) {
    return false;
  }

  /**
   * Lets go of the device that is held open at a path.
   *
   * @param closed called once it is closed, on any thread; never if none is held
   * @return whether one is held
   */
  default boolean letGo(MountPath path, Runnable closed) {
    return false;
  }

  /** Returns what is seen at a directory of the host; nothing if it is not there. */
  default Optional<ShownDirectory> shown(MountPath directory) {
    return Optional.empty();
  }

  /**
   * The processes and mounts that keep the mount on top at a path in use, in one line for people;
   * nothing if none was found. Other mounts of its filesystem do not keep it in use.
   */
  Optional<String> holders(MountPath path);

  /**
   * Returns the mounts that other programs have made of the block device whose filesystem is
   * mounted on top at a path; nothing if that is a filesystem without a device, or a directory of
   * one. Counted are the mounts of this namespace, of any directory, that are newer than that mount
   * and neither below {@code own} nor copies of mounts below it.
   */
  List<Sighting> elsewhere(MountPath path, MountPath own);

  /**
   * Which directory of which filesystem is seen at a path.
   *
   * @param device the device of the filesystem, as text
   * @param root the directory in it, escaped as the mount table does
   */
  record ShownDirectory(String device, String root) {

    /** Whether a mount shows just this directory. */
    public boolean isShownBy(Sighting mount) {
      return mount.device().equals(device) && mount.evidence().root().equals(root);
    }

    /** Whether a mount shows this directory, or one in it. */
    public boolean holdsWhatIsShownBy(Sighting mount) {
      return mount.device().equals(device) && holds(mount.evidence().root());
    }

    /** Whether this is just that directory of the filesystem, or one above it. */
    public boolean holds(String directory) {
      String inside = root.equals("/") ? "/" : root + "/";
      return directory.equals(root) || directory.startsWith(inside);
    }
  }

  /** Hears of changes to what is mounted, on a thread that must not be kept. */
  interface Changes {

    /** Something was mounted at a path. */
    void came(MountPath path);

    /** A mount at a path is gone, or elsewhere. */
    void went(MountPath path);

    /** Changes were missed: anything may have come or gone. */
    void missed();
  }

  /**
   * Tells of all changes from now on, as far as the kernel does.
   *
   * @return ends that; what has come or gone by then may still be told
   */
  default Runnable watch(Changes changes) {
    return () -> {};
  }

  /** Whether only the server of the mount on top at a path can tell how it is. */
  default boolean mustAsk(MountPath path) {
    return false;
  }

  /**
   * Finds out how the mount on top at a path is, if need be by asking its server. The calling
   * thread never waits for that.
   *
   * @param plugin the plugin of the mount. A server that hangs delays the questions to other mounts
   *     of this plugin at most
   * @param then called with the answer, on any thread: once, and after {@code SILENT} perhaps once
   *     more. When the server answers at last, one of the callers that got {@code SILENT} is called
   *     again. Never called if the process ends before, or has no thread for the question
   */
  default void ask(PluginId plugin, MountPath path, Consumer<Sighting.Health> then) {
    List<Sighting> stack = at(path);
    then.accept(stack.isEmpty() ? Sighting.Health.WELL : stack.get(stack.size() - 1).health());
  }

  /**
   * Takes away what is mounted at a path, without asking a plugin, lazily if need be. True if that
   * was needed: who has files open there still uses the device.
   */
  boolean unmount(MountPath path);

  /**
   * Takes away the dead mounts that are on top at a path, and nothing that lives. True if they were
   * detached while in use.
   *
   * @throws io.csi4j.mount.model.MountException if that is not possible, as with a mount in use
   *     that may not be detached
   */
  boolean unmountDead(MountPath path, DeadUnmount how);
}
