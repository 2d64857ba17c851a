package io.csi4j.mount.internal.kernel;

import static io.csi4j.mount.internal.kernel.Abi.AT_FDCWD;

import io.csi4j.mount.model.Errno;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The features of the running kernel, and why it lacks the others; determined by trial. */
public final class KernelFeatures {

  private static final byte[] ROOT = Abi.path("/");
  private static final int LOOK =
      Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT | Abi.AT_STATX_DONT_SYNC;

  private final Map<Feature, String> obstacles;

  private KernelFeatures(Map<Feature, String> obstacles) {
    this.obstacles = obstacles;
  }

  /** Tries every feature with arguments that change nothing. */
  public static KernelFeatures probe(Syscalls calls) {
    Map<Feature, String> obstacles = new EnumMap<>(Feature.class);
    byte[] root = new byte[Abi.STATX_SIZE];
    int mask = Abi.STATX_TYPE | Abi.STATX_MNT_ID_UNIQUE;
    int looked = calls.statx(AT_FDCWD, ROOT, LOOK, mask, root);
    if (looked < 0) {
      obstacles.put(Feature.STATX_MOUNT_ROOT, answer("statx", looked));
    } else if ((Struct.u64(root, Abi.STATX_AT_ATTRIBUTES_MASK) & Abi.STATX_ATTR_MOUNT_ROOT) == 0) {
      obstacles.put(Feature.STATX_MOUNT_ROOT, "statx does not report it before Linux 5.8");
    }
    boolean unique =
        looked >= 0 && (Struct.u32(root, Abi.STATX_AT_MASK) & Abi.STATX_MNT_ID_UNIQUE) != 0;
    if (!unique) {
      obstacles.put(
          Feature.STATX_UNIQUE_ID,
          looked < 0 ? answer("statx", looked) : "statx does not report it before Linux 6.8");
    }
    opened(obstacles, calls, Feature.OPENAT2, "openat2", openRoot(calls));
    if (unique) {
      long id = Struct.u64(root, Abi.STATX_AT_MNT_ID);
      int read =
          calls.statmount(Struct.mountIdRequest(id, Abi.STATMOUNT_MNT_BASIC), new byte[1024]);
      put(obstacles, Feature.STATMOUNT, "statmount", read);
      int listed = calls.listmount(Struct.mountIdRequest(Abi.LSMT_ROOT, 0), new long[1]);
      put(obstacles, Feature.LISTMOUNT, "listmount", listed);
    } else {
      obstacles.put(Feature.STATMOUNT, "it needs statx with unique ids");
      obstacles.put(Feature.LISTMOUNT, "it needs statx with unique ids");
    }
    tryTree(obstacles, calls);
    int set = calls.mountSetattr(-1, Abi.emptyPath(), Abi.AT_EMPTY_PATH, new byte[32]);
    put(obstacles, Feature.MOUNT_SETATTR, "mount_setattr", set == -Abi.EBADF ? 0 : set);
    tryFanotify(obstacles, calls);
    return new KernelFeatures(obstacles);
  }

  /** Returns whether the kernel has the feature. */
  public boolean has(Feature feature) {
    return !obstacles.containsKey(feature);
  }

  /** Returns whether mounts have unique numbers, in paths, records and lists alike. */
  public boolean hasUniqueIds() {
    return has(Feature.STATX_UNIQUE_ID) && has(Feature.STATMOUNT) && has(Feature.LISTMOUNT);
  }

  /** Returns why the kernel lacks the feature, in a few words; empty if it has it. */
  public Optional<String> obstacle(Feature feature) {
    return Optional.ofNullable(obstacles.get(feature));
  }

  /** Returns the features without this one. */
  public KernelFeatures without(Feature feature, String why) {
    Map<Feature, String> fewer = new EnumMap<>(Feature.class);
    fewer.putAll(obstacles);
    fewer.put(feature, why);
    return new KernelFeatures(fewer);
  }

  private static int openRoot(Syscalls calls) {
    return calls.openat2(AT_FDCWD, ROOT, Abi.O_PATH | Abi.O_CLOEXEC, 0, Abi.RESOLVE_NO_SYMLINKS);
  }

  private static void tryTree(Map<Feature, String> obstacles, Syscalls calls) {
    int tree = calls.openTree(AT_FDCWD, ROOT, Abi.OPEN_TREE_CLOEXEC);
    opened(obstacles, calls, Feature.OPEN_TREE, "open_tree", tree);
    if (tree >= 0) {
      int moved =
          calls.moveMount(
              -1,
              Abi.emptyPath(),
              -1,
              Abi.emptyPath(),
              Abi.MOVE_MOUNT_F_EMPTY_PATH | Abi.MOVE_MOUNT_T_EMPTY_PATH);
      put(obstacles, Feature.OPEN_TREE, "move_mount", moved == -Abi.EBADF ? 0 : moved);
    }
  }

  private static void tryFanotify(Map<Feature, String> obstacles, Syscalls calls) {
    MountEvents events = MountEvents.open(calls);
    opened(obstacles, calls, Feature.FANOTIFY_MOUNTS, events.call(), events.descriptor());
  }

  /**
   * The events about the mounts of the calling thread's namespace.
   *
   * @param descriptor the descriptor to read them from, or the negative error number
   * @param call the call that failed, if one did
   */
  public record MountEvents(int descriptor, String call) {

    /** Requests the events from the kernel; the caller closes the descriptor. */
    public static MountEvents open(Syscalls calls) {
      int group = calls.fanotifyInit(Abi.FAN_CLOEXEC | Abi.FAN_NONBLOCK | Abi.FAN_REPORT_MNT, 0);
      if (group < 0) {
        return new MountEvents(group, "fanotify_init");
      }
      byte[] path = Abi.path("/proc/thread-self/ns/mnt");
      int marked = calls.openat(AT_FDCWD, path, Abi.O_RDONLY | Abi.O_CLOEXEC, 0);
      if (marked >= 0) {
        int namespace = marked;
        int how = Abi.FAN_MARK_ADD | Abi.FAN_MARK_MNTNS;
        long events = Abi.FAN_MNT_ATTACH | Abi.FAN_MNT_DETACH;
        marked = calls.fanotifyMark(group, how, events, namespace, null);
        calls.close(namespace);
      }
      if (marked < 0) {
        calls.close(group);
      }
      return new MountEvents(marked < 0 ? marked : group, "fanotify_mark");
    }
  }

  private static void opened(
      Map<Feature, String> obstacles, Syscalls calls, Feature feature, String call, int result) {
    put(obstacles, feature, call, result);
    if (result >= 0) {
      calls.close(result);
    }
  }

  private static void put(
      Map<Feature, String> obstacles, Feature feature, String call, int result) {
    if (result < 0) {
      obstacles.put(feature, answer(call, result));
    }
  }

  private static String answer(String call, int result) {
    String errno = new Errno(-result).name();
    return switch (-result) {
      case Abi.ENOSYS -> call + " answers ENOSYS: the kernel is older, or a filter hides it";
      case Abi.EPERM ->
          call + " answers EPERM: this process lacks the privilege, or a filter forbids it";
      default -> call + " answers " + errno;
    };
  }
}
