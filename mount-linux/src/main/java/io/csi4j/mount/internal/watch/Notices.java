package io.csi4j.mount.internal.watch;

import static io.csi4j.mount.internal.kernel.Abi.AT_FDCWD;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures.MountEvents;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.util.List;

/**
 * The descriptors on which the kernel reports changes of the mounts in the calling thread's
 * namespace, and the descriptor that ends the wait.
 *
 * <p>A descriptor of the text table reports every change without details. If {@code fanotify} can
 * report mounts, each new or removed mount is also reported separately.
 */
final class Notices implements AutoCloseable {

  /** Space for about 1 600 events. */
  private static final int READ_SIZE = 1 << 16;

  private static final int NONE = -1;
  private static final int EVENTS = 0;
  private static final int TABLE = Abi.POLLFD_SIZE;
  private static final int WAKE = 2 * Abi.POLLFD_SIZE;

  private final Syscalls calls;
  private final String description;
  private final int events;
  private final int table;
  private final int wake;
  private final byte[] waited = new byte[3 * Abi.POLLFD_SIZE];
  private final byte[] read = new byte[READ_SIZE];
  private final Object lock = new Object();
  private boolean closed;

  /**
   * The end of a wait.
   *
   * @param events whether there are events to read
   * @param table whether the text table changed
   */
  record Woken(boolean events, boolean table) {}

  private Notices(Syscalls calls, String description, int events, int table, int wake) {
    this.calls = calls;
    this.description = description;
    this.events = events;
    this.table = table;
    this.wake = wake;
    Struct.u32(waited, EVENTS, events);
    Struct.u16(waited, EVENTS + Abi.POLLFD_AT_EVENTS, Abi.POLLIN);
    Struct.u32(waited, TABLE, table);
    Struct.u16(waited, TABLE + Abi.POLLFD_AT_EVENTS, Abi.POLLPRI);
    Struct.u32(waited, WAKE, wake);
    Struct.u16(waited, WAKE + Abi.POLLFD_AT_EVENTS, Abi.POLLIN);
  }

  /**
   * Opens the descriptors: every change from now on is reported.
   *
   * @throws MountException if not even the text table can be watched
   */
  static Notices open(Kernel kernel) {
    Syscalls calls = kernel.calls();
    int table = openTable(calls);
    int wake = calls.eventfd(0, Abi.EFD_CLOEXEC | Abi.EFD_NONBLOCK);
    if (wake < 0) {
      calls.close(table);
      throw failed("eventfd", wake);
    }
    Group group = group(kernel);
    String description =
        "poll of the text table, which is read again when it changes (" + group.obstacle + ")";
    if (group.descriptor >= 0) {
      description = "fanotify for mounts that come and go, poll of the text table for changes";
    }
    Notices notices = new Notices(calls, description, group.descriptor, table, wake);
    try {
      notices.await(0);
    } catch (MountException refused) {
      notices.close();
      throw refused;
    }
    return notices;
  }

  /** Returns how the kernel reports changes, for people. */
  String description() {
    return description;
  }

  /** Returns whether each new or removed mount is reported separately. */
  boolean tellEach() {
    return events != NONE;
  }

  /**
   * Waits until something is reported.
   *
   * @param millis the maximum time; forever if negative
   */
  Woken await(int millis) {
    int woken = calls.poll(waited, 3, millis);
    if (woken == -Abi.EINTR || woken == -Abi.EAGAIN) {
      return new Woken(false, false);
    }
    if (woken < 0) {
      throw failed("poll", woken);
    }
    return new Woken(isSet(EVENTS), isSet(TABLE));
  }

  /**
   * Returns the reported events, as many as fit into one read.
   *
   * @throws MountException if they cannot be read, and may be lost
   */
  List<FanotifyEvent> read() {
    int length = calls.read(events, read);
    if (length == -Abi.EAGAIN || length == -Abi.EINTR) {
      return List.of();
    }
    if (length < 0) {
      throw failed("read", length);
    }
    return FanotifyEvent.decode(read, length);
  }

  /** Ends the wait, now and from now on; from any thread. */
  void wake() {
    byte[] one = new byte[Long.BYTES];
    Struct.u64(one, 0, 1);
    synchronized (lock) {
      // Another file may have the number already.
      if (!closed) {
        calls.write(wake, one);
      }
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      calls.close(wake);
    }
    calls.close(table);
    if (events != NONE) {
      calls.close(events);
    }
  }

  private boolean isSet(int at) {
    return Struct.u16(waited, at + Abi.POLLFD_AT_REVENTS) != 0;
  }

  private static int openTable(Syscalls calls) {
    int flags = Abi.O_RDONLY | Abi.O_CLOEXEC;
    int table = calls.openat(AT_FDCWD, Abi.path("/proc/thread-self/mountinfo"), flags, 0);
    if (table == -Abi.ENOENT) {
      // Before Linux 3.17.
      table = calls.openat(AT_FDCWD, Abi.path("/proc/self/mountinfo"), flags, 0);
    }
    if (table < 0) {
      throw MountException.builder(
              Reason.NO_MOUNT_TABLE,
              "Watching the mounts failed: the kernel's table cannot be opened. Mount /proc where"
                  + " this process sees it (mount -t proc proc /proc), and check that it has "
                  + "file descriptors left.")
          .syscall("openat", new Errno(-table))
          .build();
    }
    return table;
  }

  /** The events of this namespace, or why there are none. */
  private record Group(int descriptor, String obstacle) {}

  private static Group group(Kernel kernel) {
    for (Feature needed : List.of(Feature.FANOTIFY_MOUNTS, Feature.STATMOUNT, Feature.LISTMOUNT)) {
      if (!kernel.features().has(needed)) {
        return new Group(NONE, kernel.features().obstacle(needed).orElse(""));
      }
    }
    MountEvents events = MountEvents.open(kernel.calls());
    return events.descriptor() < 0
        ? new Group(NONE, events.call() + " answers " + new Errno(-events.descriptor()).name())
        : new Group(events.descriptor(), "");
  }

  private static MountException failed(String syscall, int result) {
    return ErrnoMeaning.of("Watching the mounts", syscall, result, MountPath.ROOT).build();
  }
}
