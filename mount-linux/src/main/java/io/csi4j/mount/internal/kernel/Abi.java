package io.csi4j.mount.internal.kernel;

import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountPath;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The numbers of the kernel's interface: constants and offsets of fields in structures. They are
 * the same on all architectures that csi4j supports, with two exceptions. {@code KernelHeadersTest}
 * compares each with the C headers of x86-64 and of aarch64.
 */
public final class Abi {

  private static final String ARCHITECTURE = System.getProperty("os.arch", "");

  // Error numbers.
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EBADF = 9;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int ENOTBLK = 15;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int ENOSPC = 28;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOSYS = 38;
  public static final int ENOTEMPTY = 39;
  public static final int ELOOP = 40;
  public static final int EOVERFLOW = 75;
  public static final int ECONNABORTED = 103;
  public static final int ENOTCONN = 107;

  // Opening and examining files.
  public static final int PATH_MAX = 4096;
  public static final int AT_FDCWD = -100;
  public static final int AT_SYMLINK_NOFOLLOW = 0x100;
  public static final int AT_REMOVEDIR = 0x200;
  public static final int AT_NO_AUTOMOUNT = 0x800;
  public static final int AT_EMPTY_PATH = 0x1000;
  public static final int AT_STATX_FORCE_SYNC = 0x2000;
  public static final int AT_STATX_DONT_SYNC = 0x4000;
  public static final int AT_RECURSIVE = 0x8000;
  public static final int O_RDONLY = 0;
  public static final int O_CREAT = 0x40;
  public static final int O_EXCL = 0x80;
  public static final int O_NONBLOCK = 0x800;
  public static final int O_CLOEXEC = 0x80000;
  public static final int O_PATH = 0x200000;

  /** Differs on ARM, as {@link #O_NOFOLLOW} does. */
  public static final int O_DIRECTORY = directoryFlag(ARCHITECTURE);

  public static final int O_NOFOLLOW = noFollowFlag(ARCHITECTURE);
  public static final long RESOLVE_NO_XDEV = 0x01;
  public static final long RESOLVE_NO_MAGICLINKS = 0x02;
  public static final long RESOLVE_NO_SYMLINKS = 0x04;
  public static final long RESOLVE_BENEATH = 0x08;

  // struct open_how
  public static final int OPEN_HOW_SIZE = 24;
  public static final int OPEN_HOW_AT_FLAGS = 0;
  public static final int OPEN_HOW_AT_MODE = 8;
  public static final int OPEN_HOW_AT_RESOLVE = 16;

  // struct statx
  public static final int STATX_SIZE = 256;
  public static final int STATX_TYPE = 0x1;
  public static final int STATX_MODE = 0x2;
  public static final int STATX_UID = 0x8;
  public static final int STATX_GID = 0x10;
  public static final int STATX_FILE_SIZE = 0x200;
  public static final int STATX_MNT_ID = 0x1000;
  public static final int STATX_MNT_ID_UNIQUE = 0x4000;
  public static final int STATX_AT_MASK = 0;
  public static final int STATX_AT_ATTRIBUTES = 8;
  public static final int STATX_AT_UID = 20;
  public static final int STATX_AT_GID = 24;
  public static final int STATX_AT_MODE = 28;
  public static final int STATX_AT_FILE_SIZE = 40;
  public static final int STATX_AT_ATTRIBUTES_MASK = 56;
  public static final int STATX_AT_MNT_ID = 144;
  public static final long STATX_ATTR_MOUNT_ROOT = 0x2000;
  public static final int S_IFMT = 0xf000;
  public static final int S_IFREG = 0x8000;
  public static final int S_IFDIR = 0x4000;
  public static final int S_IFLNK = 0xa000;
  public static final int S_IFCHR = 0x2000;
  public static final int S_IFBLK = 0x6000;

  // struct linux_dirent64
  public static final int DIRENT_AT_LENGTH = 16;
  public static final int DIRENT_AT_NAME = 19;

  // mount and umount2
  public static final long MS_RDONLY = 1;
  public static final long MS_NOSUID = 2;
  public static final long MS_NODEV = 4;
  public static final long MS_NOEXEC = 8;
  public static final long MS_SYNCHRONOUS = 16;
  public static final long MS_REMOUNT = 32;
  public static final long MS_MANDLOCK = 64;
  public static final long MS_DIRSYNC = 128;
  public static final long MS_NOSYMFOLLOW = 256;
  public static final long MS_NOATIME = 1024;
  public static final long MS_NODIRATIME = 2048;
  public static final long MS_BIND = 4096;
  public static final long MS_MOVE = 8192;
  public static final long MS_REC = 16384;
  public static final long MS_SILENT = 32768;
  public static final long MS_UNBINDABLE = 1 << 17;
  public static final long MS_PRIVATE = 1 << 18;
  public static final long MS_SLAVE = 1 << 19;
  public static final long MS_SHARED = 1 << 20;
  public static final long MS_RELATIME = 1 << 21;
  public static final long MS_I_VERSION = 1 << 23;
  public static final long MS_STRICTATIME = 1 << 24;
  public static final long MS_LAZYTIME = 1 << 25;
  public static final int MNT_FORCE = 1;
  public static final int MNT_DETACH = 2;
  public static final int MNT_EXPIRE = 4;
  public static final int UMOUNT_NOFOLLOW = 8;

  // open_tree, move_mount, mount_setattr
  public static final int OPEN_TREE_CLONE = 1;
  public static final int OPEN_TREE_CLOEXEC = O_CLOEXEC;
  public static final int MOVE_MOUNT_F_EMPTY_PATH = 0x4;
  public static final int MOVE_MOUNT_T_EMPTY_PATH = 0x40;
  public static final long MOUNT_ATTR_RDONLY = 0x1;
  public static final long MOUNT_ATTR_NOSUID = 0x2;
  public static final long MOUNT_ATTR_NODEV = 0x4;
  public static final long MOUNT_ATTR_NOEXEC = 0x8;
  public static final long MOUNT_ATTR_ATIME = 0x70;
  public static final long MOUNT_ATTR_NOATIME = 0x10;
  public static final long MOUNT_ATTR_NODIRATIME = 0x80;
  public static final long MOUNT_ATTR_NOSYMFOLLOW = 0x200000;

  // struct mount_attr
  public static final int MOUNT_ATTR_SIZE = 32;
  public static final int MOUNT_ATTR_AT_SET = 0;
  public static final int MOUNT_ATTR_AT_CLEAR = 8;

  // struct mnt_id_req
  public static final int MNT_ID_REQ_SIZE = 24;
  public static final int MNT_ID_REQ_AT_SIZE = 0;
  public static final int MNT_ID_REQ_AT_ID = 8;
  public static final int MNT_ID_REQ_AT_PARAM = 16;
  public static final long LSMT_ROOT = -1L;

  // struct statmount
  public static final long STATMOUNT_SB_BASIC = 0x1;
  public static final long STATMOUNT_MNT_BASIC = 0x2;
  public static final long STATMOUNT_PROPAGATE_FROM = 0x4;
  public static final long STATMOUNT_MNT_ROOT = 0x8;
  public static final long STATMOUNT_MNT_POINT = 0x10;
  public static final long STATMOUNT_FS_TYPE = 0x20;
  public static final long STATMOUNT_MNT_OPTS = 0x80;
  public static final long STATMOUNT_FS_SUBTYPE = 0x100;
  public static final long STATMOUNT_SB_SOURCE = 0x200;
  public static final int STATMOUNT_AT_SIZE = 0;
  public static final int STATMOUNT_AT_MNT_OPTS = 4;
  public static final int STATMOUNT_AT_MASK = 8;
  public static final int STATMOUNT_AT_SB_DEV_MAJOR = 16;
  public static final int STATMOUNT_AT_SB_DEV_MINOR = 20;
  public static final int STATMOUNT_AT_SB_FLAGS = 32;
  public static final int STATMOUNT_AT_FS_TYPE = 36;
  public static final int STATMOUNT_AT_PARENT_ID = 48;
  public static final int STATMOUNT_AT_MNT_ID_OLD = 56;
  public static final int STATMOUNT_AT_PARENT_ID_OLD = 60;
  public static final int STATMOUNT_AT_MNT_ATTR = 64;
  public static final int STATMOUNT_AT_PROPAGATION = 72;
  public static final int STATMOUNT_AT_PEER_GROUP = 80;
  public static final int STATMOUNT_AT_MASTER = 88;
  public static final int STATMOUNT_AT_PROPAGATE_FROM = 96;
  public static final int STATMOUNT_AT_MNT_ROOT = 104;
  public static final int STATMOUNT_AT_MNT_POINT = 108;
  public static final int STATMOUNT_AT_FS_SUBTYPE = 120;
  public static final int STATMOUNT_AT_SB_SOURCE = 124;
  public static final int STATMOUNT_STRINGS = 512;

  // fanotify
  public static final int FAN_CLOEXEC = 0x1;
  public static final int FAN_NONBLOCK = 0x2;
  public static final int FAN_REPORT_MNT = 0x4000;
  public static final int FAN_MARK_ADD = 0x1;
  public static final int FAN_MARK_MNTNS = 0x110;
  public static final long FAN_MNT_ATTACH = 0x01000000;
  public static final long FAN_MNT_DETACH = 0x02000000;
  public static final long FAN_Q_OVERFLOW = 0x4000;
  public static final int FAN_EVENT_INFO_TYPE_MNT = 7;
  public static final int FAN_EVENT_AT_LENGTH = 0;
  public static final int FAN_EVENT_AT_METADATA_LENGTH = 6;
  public static final int FAN_EVENT_AT_MASK = 8;
  public static final int FAN_EVENT_AT_PID = 20;
  public static final int FAN_EVENT_METADATA_SIZE = 24;
  public static final int FAN_INFO_AT_TYPE = 0;
  public static final int FAN_INFO_AT_LENGTH = 2;
  public static final int FAN_INFO_AT_MNT_ID = 8;
  public static final int FAN_INFO_MNT_SIZE = 16;

  // poll and eventfd
  public static final int POLLIN = 0x1;
  public static final int POLLPRI = 0x2;
  public static final int POLLFD_SIZE = 8;
  public static final int POLLFD_AT_EVENTS = 4;
  public static final int POLLFD_AT_REVENTS = 6;
  public static final int EFD_CLOEXEC = O_CLOEXEC;
  public static final int EFD_NONBLOCK = O_NONBLOCK;

  // struct timespec
  public static final int TIMESPEC_SIZE = 16;
  public static final int TIMESPEC_AT_SECONDS = 0;
  public static final int TIMESPEC_AT_NANOSECONDS = 8;

  private static final byte[] EMPTY_PATH = {0};

  private Abi() {}

  /** Returns the path with a NUL at its end, as system calls take it. */
  public static byte[] path(MountPath path) {
    return path.terminated();
  }

  /** Returns the text in UTF-8 with a NUL at its end. */
  public static byte[] path(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(bytes, bytes.length + 1);
  }

  /** Returns the path that means the descriptor itself, together with {@link #AT_EMPTY_PATH}. */
  public static byte[] emptyPath() {
    return EMPTY_PATH.clone();
  }

  /** Returns the bit of {@code struct mount_attr} for a flag; 0 for the kernel's default. */
  public static long attribute(MountFlag flag) {
    return switch (flag) {
      case READ_ONLY -> MOUNT_ATTR_RDONLY;
      case NOSUID -> MOUNT_ATTR_NOSUID;
      case NODEV -> MOUNT_ATTR_NODEV;
      case NOEXEC -> MOUNT_ATTR_NOEXEC;
      case NOATIME -> MOUNT_ATTR_NOATIME;
      case NODIRATIME -> MOUNT_ATTR_NODIRATIME;
      case RELATIME -> 0;
      case NOSYMFOLLOW -> MOUNT_ATTR_NOSYMFOLLOW;
    };
  }

  /** Returns the value of {@link #O_DIRECTORY} on an architecture, by its name in the JVM. */
  public static int directoryFlag(String architecture) {
    return isArm(architecture) ? 0x4000 : 0x10000;
  }

  /** Returns the value of {@link #O_NOFOLLOW} on an architecture, by its name in the JVM. */
  public static int noFollowFlag(String architecture) {
    return isArm(architecture) ? 0x8000 : 0x20000;
  }

  private static boolean isArm(String architecture) {
    return architecture.equals("aarch64") || architecture.startsWith("arm");
  }
}
