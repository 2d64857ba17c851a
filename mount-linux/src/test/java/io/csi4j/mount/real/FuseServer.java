package io.csi4j.mount.real;

import static org.junit.jupiter.api.Assumptions.abort;

import com.sun.jna.Native;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountPath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A filesystem whose server can be told to die or to hang: it speaks the kernel's protocol over
 * {@code /dev/fuse}. In its root directory there is one empty file, named {@code file}.
 *
 * <p>A thread that waits for a hung server cannot be killed, and neither can its process, before
 * the connection is aborted. {@link #close} does that. Should the JVM be killed first, the kernel
 * does: the device is open on the server's thread only, which has a table of descriptors of its
 * own, so that no waiting thread keeps it open.
 */
public final class FuseServer implements AutoCloseable {

  /** How long a test waits for the server at most. */
  private static final long PATIENCE_SECONDS = 20;

  private static final int CLONE_FILES = 0x400;
  private static final int O_RDWR = 2;
  private static final int NOBODY = 65534;

  private static final int LOOKUP = 1;
  private static final int FORGET = 2;
  private static final int GETATTR = 3;
  private static final int OPEN = 14;
  private static final int STATFS = 17;
  private static final int RELEASE = 18;
  private static final int INIT = 26;
  private static final int OPENDIR = 27;
  private static final int READDIR = 28;
  private static final int RELEASEDIR = 29;
  private static final int ACCESS = 34;
  private static final int INTERRUPT = 36;
  private static final int BATCH_FORGET = 42;

  private static final int IN_HEADER = 40;
  private static final int OUT_HEADER = 16;
  private static final long ROOT_NODE = 1;
  private static final long FILE_NODE = 2;

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final MountPath target;
  private final int wake;
  private final Thread thread;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<byte[]> unanswered = new ArrayList<>();
  private boolean hung;
  private boolean ended;
  private int unansweredInAll;
  private volatile String problem = "";
  private volatile boolean missing;

  private FuseServer(MountPath target, int owner) {
    this.target = target;
    wake = calls.eventfd(0, Abi.EFD_CLOEXEC | Abi.EFD_NONBLOCK);
    thread = new Thread(() -> serve(owner), "fuse-server");
    thread.setDaemon(true);
  }

  /**
   * Mounts it on an existing directory, for everybody. Where {@code /dev/fuse} cannot be opened the
   * test is aborted saying so, or fails if it is required.
   */
  public static FuseServer mount(MountPath target) {
    return start(target, 0);
  }

  /** The same, for a user that this process is not: all of it is denied, even to root. */
  public static FuseServer mountForAnotherUser(MountPath target) {
    return start(target, NOBODY);
  }

  private static FuseServer start(MountPath target, int owner) {
    FuseServer server = new FuseServer(target, owner);
    server.thread.start();
    try {
      if (!server.ready.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the FUSE server did not start");
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while the FUSE server started", e);
    }
    if (!server.problem.isEmpty()) {
      server.close();
      if (server.missing && !"1".equals(System.getenv("MOUNT_TEST_REQUIRED"))) {
        abort("no FUSE here: " + server.problem);
      }
      throw new AssertionError(server.problem);
    }
    return server;
  }

  /** Where it is mounted. */
  public MountPath target() {
    return target;
  }

  /** Ends the server and leaves the mount: whoever asks for anything in it gets ENOTCONN. */
  public void die() {
    lock.lock();
    try {
      ended = true;
    } finally {
      lock.unlock();
    }
    wake();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new AssertionError("the FUSE server did not end");
    }
  }

  /** From now on takes requests and answers none. */
  public void hang() {
    lock.lock();
    try {
      hung = true;
    } finally {
      lock.unlock();
    }
  }

  /** Answers again, at first what was left unanswered. */
  public void recover() {
    lock.lock();
    try {
      hung = false;
    } finally {
      lock.unlock();
    }
    wake();
  }

  /** How many requests came while it was hung. */
  public int unanswered() {
    lock.lock();
    try {
      return unansweredInAll;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until that many requests came while it was hung. */
  public void awaitUnanswered(int count) {
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (unansweredInAll < count) {
        if (left <= 0) {
          throw new AssertionError(unansweredInAll + " requests came, not " + count);
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while waiting for requests", e);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the server, which frees whoever waits for it, and takes the mount away. */
  @Override
  public void close() {
    die();
    calls.umount2(Abi.path(target), Abi.MNT_DETACH | Abi.UMOUNT_NOFOLLOW);
    calls.close(wake);
  }

  private void wake() {
    byte[] one = new byte[8];
    Struct.u64(one, 0, 1);
    calls.write(wake, one);
  }

  private void serve(int owner) {
    int device = -1;
    try {
      if (LibcForTests.unshare(CLONE_FILES) != 0) {
        fail("unshare", -Native.getLastError());
        return;
      }
      device =
          calls.openat(
              Abi.AT_FDCWD, Abi.path("/dev/fuse"), O_RDWR | Abi.O_CLOEXEC | Abi.O_NONBLOCK, 0);
      if (device < 0) {
        missing = true;
        fail("opening /dev/fuse", device);
        return;
      }
      int mounted = mount(device, owner);
      if (mounted < 0) {
        missing = mounted == -Abi.ENODEV;
        fail("mounting FUSE", mounted);
        return;
      }
      loop(device);
    } finally {
      if (device >= 0) {
        calls.close(device);
      }
      ready.countDown();
    }
  }

  private int mount(int device, int owner) {
    String options =
        "fd="
            + device
            + ",rootmode=40000,user_id="
            + owner
            + ",group_id="
            + owner
            + (owner == 0 ? ",allow_other" : "");
    return calls.mount(
        Abi.path("csi4j-fuse"),
        Abi.path(target),
        Abi.path("fuse"),
        Abi.MS_NOSUID | Abi.MS_NODEV,
        Abi.path(options));
  }

  private void fail(String what, int result) {
    problem = what + " answers " + new Errno(-result);
  }

  private void loop(int device) {
    byte[] buffer = new byte[1 << 17];
    byte[] polled = new byte[16];
    while (true) {
      Struct.u32(polled, 0, device);
      Struct.u32(polled, 4, Abi.POLLIN);
      Struct.u32(polled, 8, wake);
      Struct.u32(polled, 12, Abi.POLLIN);
      calls.poll(polled, 2, -1);
      calls.read(wake, new byte[8]);
      if (!answerParked(device)) {
        return;
      }
      int length = calls.read(device, buffer);
      if (length >= IN_HEADER) {
        take(device, java.util.Arrays.copyOf(buffer, length));
      } else if (length == -Abi.ENODEV) {
        return;
      }
    }
  }

  /** Answers what was left, if the server is not hung any more; false if it is to end. */
  private boolean answerParked(int device) {
    lock.lock();
    try {
      if (!hung) {
        unanswered.forEach(request -> answer(device, request));
        unanswered.clear();
      }
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  private void take(int device, byte[] request) {
    int opcode = Struct.u32(request, 4);
    if (opcode == FORGET || opcode == BATCH_FORGET || opcode == INTERRUPT) {
      return;
    }
    lock.lock();
    try {
      if (hung) {
        unanswered.add(request);
        unansweredInAll++;
        changed.signalAll();
        return;
      }
    } finally {
      lock.unlock();
    }
    answer(device, request);
    if (opcode == INIT) {
      ready.countDown();
    }
  }

  private void answer(int device, byte[] request) {
    int error = 0;
    byte[] body = new byte[0];
    switch (Struct.u32(request, 4)) {
      case INIT -> body = init();
      case GETATTR -> {
        body = new byte[104];
        attributes(body, 16, Struct.u64(request, 16));
      }
      case LOOKUP -> {
        if (isFile(request)) {
          body = new byte[128];
          Struct.u64(body, 0, FILE_NODE);
          attributes(body, 40, FILE_NODE);
        } else {
          error = Abi.ENOENT;
        }
      }
      case OPEN, OPENDIR -> body = new byte[16];
      case STATFS -> body = statfs();
      case READDIR, RELEASE, RELEASEDIR, ACCESS -> {}
      default -> error = Abi.ENOSYS;
    }
    byte[] answer = new byte[OUT_HEADER + body.length];
    Struct.u32(answer, 0, answer.length);
    Struct.u32(answer, 4, -error);
    Struct.u64(answer, 8, Struct.u64(request, 8));
    System.arraycopy(body, 0, answer, OUT_HEADER, body.length);
    calls.write(device, answer);
  }

  private static boolean isFile(byte[] request) {
    return Struct.u64(request, 16) == ROOT_NODE
        && new String(request, IN_HEADER, request.length - IN_HEADER, StandardCharsets.US_ASCII)
            .equals("file\0");
  }

  private static byte[] init() {
    byte[] body = new byte[64];
    Struct.u32(body, 0, 7);
    Struct.u32(body, 4, 31);
    Struct.u32(body, 20, 4096);
    Struct.u32(body, 24, 1);
    return body;
  }

  /** Attributes that may not be kept: every look asks the server again. */
  private static void attributes(byte[] body, int at, long node) {
    boolean isRoot = node == ROOT_NODE;
    Struct.u64(body, at, node);
    Struct.u32(body, at + 60, isRoot ? 0040755 : 0100644);
    Struct.u32(body, at + 64, isRoot ? 2 : 1);
    Struct.u32(body, at + 80, 4096);
  }

  private static byte[] statfs() {
    byte[] body = new byte[80];
    Struct.u32(body, 40, 4096);
    Struct.u32(body, 44, 255);
    Struct.u32(body, 48, 4096);
    return body;
  }
}
