package io.csi4j.mount.real;

import static org.junit.jupiter.api.Assumptions.abort;

import com.sun.jna.Native;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A filesystem whose server can be told to die or to hang: it speaks the kernel's protocol over
 * {@code /dev/fuse}. What is in it is told by its {@link FuseFiles}; unless others are given it is
 * one empty file, named {@code file}.
 *
 * <p>A thread that waits for a hung server cannot be killed, and neither can its process, before
 * the connection is aborted. {@link #close} does that, and so does the server itself when a request
 * has waited for a minute: a test that waits for it by mistake gets an error and fails. Should the
 * JVM be killed first, the kernel does: the device is open on the server's thread only, which has a
 * table of descriptors of its own, so that no waiting thread keeps it open.
 */
public final class FuseServer implements AutoCloseable {

  /** How long a test waits for the server at most. */
  private static final long PATIENCE_SECONDS = 20;

  /** How long it hangs at most: longer than any test that means it, shorter than a person waits. */
  private static final Duration LONGEST_HANG = Duration.ofMinutes(1);

  private static final int CLONE_FILES = 0x400;
  private static final int O_RDWR = 2;
  private static final int NOBODY = 65534;

  private static final int OUT_HEADER = 16;

  /** Most bytes of one write, and what a request with as many may have in front of them. */
  private static final int MAX_WRITE = 1 << 17;

  private static final int IN_HEADERS = 4096;

  private final Syscalls calls = RunningKernel.kernel().calls();
  private final MountPath target;
  private final FuseFiles files;
  private final int wake;
  private final Thread thread;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<FuseFiles.Request> unanswered = new ArrayList<>();
  private boolean hung;
  private long longestHang;
  private long hungUntil;
  private boolean ended;
  private int unansweredInAll;
  private volatile String problem = "";
  private volatile boolean missing;

  private FuseServer(MountPath target, int owner, FuseFiles files) {
    this.target = target;
    this.files = files;
    wake = calls.eventfd(0, Abi.EFD_CLOEXEC | Abi.EFD_NONBLOCK);
    thread = new Thread(() -> serve(owner), "fuse-server");
    thread.setDaemon(true);
  }

  /**
   * Mounts it on an existing directory, for everybody. Where {@code /dev/fuse} cannot be opened the
   * test is aborted saying so, or fails if it is required.
   */
  public static FuseServer mount(MountPath target) {
    return start(target, 0, FuseFiles.oneEmptyFile());
  }

  /** The same, with other files in it. */
  public static FuseServer mount(MountPath target, FuseFiles files) {
    return start(target, 0, files);
  }

  /** The same, for a user that this process is not: all of it is denied, even to root. */
  public static FuseServer mountForAnotherUser(MountPath target) {
    return start(target, NOBODY, FuseFiles.oneEmptyFile());
  }

  /**
   * Serves the directory given in a process of its own, which a test can freeze or kill: says so in
   * one line, and ends with its input.
   */
  public static void main(String[] arguments) throws IOException {
    try (FuseServer server = mount(MountPath.of(arguments[0]))) {
      System.out.println("serving " + server.target());
      while (System.in.read() >= 0) {
        // Nothing is asked of it.
      }
    }
  }

  private static FuseServer start(MountPath target, int owner, FuseFiles files) {
    FuseServer server = new FuseServer(target, owner, files);
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

  /** From now on takes requests and answers none; it dies when one has waited for a minute. */
  public void hang() {
    hang(LONGEST_HANG);
  }

  /** From now on takes requests and answers none; it dies when one has waited for so long. */
  void hang(Duration atMost) {
    lock.lock();
    try {
      hung = true;
      longestHang = atMost.toNanos();
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
    byte[] buffer = new byte[MAX_WRITE + IN_HEADERS];
    byte[] polled = new byte[16];
    while (true) {
      Struct.u32(polled, 0, device);
      Struct.u32(polled, 4, Abi.POLLIN);
      Struct.u32(polled, 8, wake);
      Struct.u32(polled, 12, Abi.POLLIN);
      calls.poll(polled, 2, patience());
      calls.read(wake, new byte[8]);
      if (!answerParked(device)) {
        return;
      }
      int length = calls.read(device, buffer);
      if (length > 0) {
        take(device, new FuseFiles.Request(Arrays.copyOf(buffer, length)));
      } else if (length == -Abi.ENODEV) {
        return;
      }
    }
  }

  /** Milliseconds until a request has waited for too long; negative if none waits. */
  private int patience() {
    lock.lock();
    try {
      return isWaitedFor()
          ? (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(hungUntil - System.nanoTime()) + 1)
          : -1;
    } finally {
      lock.unlock();
    }
  }

  /** Answers what was left, if the server is not hung any more; false if it must end. */
  private boolean answerParked(int device) {
    lock.lock();
    try {
      if (!hung) {
        unanswered.forEach(request -> answer(device, request));
        unanswered.clear();
      }
      return !ended && !(isWaitedFor() && System.nanoTime() - hungUntil >= 0);
    } finally {
      lock.unlock();
    }
  }

  private boolean isWaitedFor() {
    return hung && !unanswered.isEmpty();
  }

  private void take(int device, FuseFiles.Request request) {
    int operation = request.operation();
    if (operation == FuseFiles.FORGET
        || operation == FuseFiles.BATCH_FORGET
        || operation == FuseFiles.INTERRUPT) {
      return;
    }
    lock.lock();
    try {
      if (hung) {
        if (unanswered.isEmpty()) {
          hungUntil = System.nanoTime() + longestHang;
        }
        unanswered.add(request);
        unansweredInAll++;
        changed.signalAll();
        return;
      }
    } finally {
      lock.unlock();
    }
    answer(device, request);
    if (operation == FuseFiles.INIT) {
      ready.countDown();
    }
  }

  private void answer(int device, FuseFiles.Request request) {
    int errno = 0;
    byte[] body = new byte[0];
    try {
      body = request.operation() == FuseFiles.INIT ? init() : files.answer(request);
    } catch (FuseFiles.Refused refused) {
      errno = refused.errno();
    }
    byte[] answer = new byte[OUT_HEADER + body.length];
    Struct.u32(answer, 0, answer.length);
    Struct.u32(answer, 4, -errno);
    Struct.u64(answer, 8, request.number());
    System.arraycopy(body, 0, answer, OUT_HEADER, body.length);
    calls.write(device, answer);
  }

  private static byte[] init() {
    byte[] body = new byte[64];
    Struct.u32(body, 0, 7);
    Struct.u32(body, 4, 31);
    Struct.u32(body, 20, MAX_WRITE);
    Struct.u32(body, 24, 1);
    return body;
  }
}
