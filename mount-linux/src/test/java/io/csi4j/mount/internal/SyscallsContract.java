package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.MountLook;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.real.LibcForTests;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That each call takes and gives what the kernel has, by whichever binding. Nothing is mounted. */
abstract class SyscallsContract {

  static final String ARCHITECTURE = System.getProperty("os.arch");

  private static final int LOOK =
      Abi.AT_SYMLINK_NOFOLLOW | Abi.AT_NO_AUTOMOUNT | Abi.AT_STATX_DONT_SYNC;
  private static final int FILE = Abi.STATX_TYPE | Abi.STATX_FILE_SIZE;
  private static final int READ_AND_WRITE = 2;
  private static final int SIGWINCH = 28;

  @TempDir Path directory;

  private final Syscalls calls;
  private KernelFeatures features;

  SyscallsContract(Syscalls calls) {
    this.calls = calls;
    features = KernelFeatures.probe(calls);
  }

  @BeforeEach
  void resolveLinks() throws Exception {
    directory = directory.toRealPath();
  }

  @Test
  void aFileIsSeenWithItsTypeAndSize() throws Exception {
    byte[] path = path(Files.write(directory.resolve("file"), new byte[1234]));
    byte[] out = new byte[300];
    Arrays.fill(out, (byte) 7);

    for (int how : new int[] {LOOK, Abi.AT_STATX_FORCE_SYNC, 0}) {
      assertThat(calls.statx(Abi.AT_FDCWD, path, how, FILE, out)).isZero();
      assertThat(Struct.u16(out, Abi.STATX_AT_MODE) & Abi.S_IFMT).isEqualTo(Abi.S_IFREG);
      assertThat(Struct.u64(out, Abi.STATX_AT_FILE_SIZE)).isEqualTo(1234);
    }
    assertThat(out).as("what is behind the structure").endsWith(new byte[] {7, 7, 7, 7});
  }

  @Test
  void asMuchOfAnAnswerIsGivenAsFits() {
    byte[] few = new byte[8];
    assertThat(calls.statx(Abi.AT_FDCWD, Abi.path("/"), LOOK, FILE, few)).isZero();
    assertThat(Struct.u32(few, Abi.STATX_AT_MASK) & Abi.STATX_TYPE).isNotZero();
  }

  @Test
  void theMountAtAPathIsToldByThreeNumbers() {
    byte[] all = new byte[Abi.STATX_SIZE];
    MountLook look = new MountLook();
    int mask = Abi.STATX_TYPE | Abi.STATX_MNT_ID;

    assertThat(calls.statx(MountPath.ROOT, LOOK, mask, look)).isZero();
    assertThat(calls.statx(Abi.AT_FDCWD, Abi.path("/"), LOOK, mask, all)).isZero();
    assertThat(look.mount()).isEqualTo(Struct.u64(all, Abi.STATX_AT_MNT_ID)).isNotZero();
    assertThat(look.isRoot()).isEqualTo(features.has(Feature.STATX_MOUNT_ROOT));

    MountPath missing = MountPath.of(directory.resolve("missing"));
    assertThat(calls.statx(missing, LOOK, mask, look)).isEqualTo(-Abi.ENOENT);
  }

  @Test
  void theLongestPathIsTakenAndALongerOneIsRefusedByTheKernel() {
    MountPath longest = MountPath.of("/x".repeat(2047));
    assertThat(longest.bytes()).hasSize(4094);
    assertThat(calls.statx(longest, LOOK, FILE, new MountLook())).isEqualTo(-Abi.ENOENT);

    for (int length : new int[] {4096, 8192, 1_000_000}) {
      byte[] path = Abi.path("/x".repeat(length / 2));
      byte[] out = new byte[Abi.STATX_SIZE];
      int tooLong = -Abi.ENAMETOOLONG;
      assertThat(calls.statx(Abi.AT_FDCWD, path, LOOK, FILE, out)).isEqualTo(tooLong);
      assertThat(calls.openat(Abi.AT_FDCWD, path, Abi.O_PATH, 0)).isEqualTo(tooLong);
      assertThat(calls.mkdirat(Abi.AT_FDCWD, path, 0700)).isEqualTo(tooLong);
      assertThat(calls.unlinkat(Abi.AT_FDCWD, path, 0)).isEqualTo(tooLong);
      assertThat(calls.readlinkat(Abi.AT_FDCWD, path, out)).isEqualTo(tooLong);
    }
  }

  @Test
  void bytesThatAreNoTextAreAName() {
    int at = opened(path(directory), Abi.O_RDONLY | Abi.O_DIRECTORY);
    byte[] name = {(byte) 0xff, (byte) 0xc3, 0x28, '\n', 0x01, 0};

    assertThat(calls.mkdirat(at, name, 0700)).isZero();
    assertThat(calls.statx(at, name, LOOK, FILE, new byte[Abi.STATX_SIZE])).isZero();
    assertThat(calls.mkdirat(at, name, 0700)).isEqualTo(-Abi.EEXIST);
    assertThat(calls.unlinkat(at, name, 0)).isEqualTo(-21); // EISDIR
    assertThat(calls.unlinkat(at, name, Abi.AT_REMOVEDIR)).isZero();
    assertThat(calls.unlinkat(at, name, Abi.AT_REMOVEDIR)).isEqualTo(-Abi.ENOENT);
    assertThat(calls.close(at)).isZero();
  }

  @Test
  void aDescriptorIsAPathOfItsOwn() {
    int at = opened(path(directory), Abi.O_PATH);
    byte[] out = new byte[Abi.STATX_SIZE];
    byte[] none = Abi.emptyPath();

    assertThat(calls.statx(at, none, Abi.AT_EMPTY_PATH, FILE, out)).isZero();
    assertThat(calls.statx(at, none, 0, FILE, out)).isEqualTo(-Abi.ENOENT);
    assertThat(calls.close(at)).isZero();
    assertThat(calls.statx(at, none, Abi.AT_EMPTY_PATH, FILE, out)).isEqualTo(-Abi.EBADF);
    assertThat(calls.close(at)).isEqualTo(-Abi.EBADF);
    assertThat(calls.close(-1)).isEqualTo(-Abi.EBADF);
  }

  @Test
  void whatIsWrittenIsReadAgainHoweverMuchItIs() throws Exception {
    for (int size : new int[] {0, 1, 8192, 8193, 300_000}) {
      byte[] content = new byte[size];
      for (int i = 0; i < size; i++) {
        content[i] = (byte) (i * 31 + i / 251);
      }
      Path file = directory.resolve("of-" + size);
      int flags = Abi.O_CREAT | Abi.O_EXCL | READ_AND_WRITE | Abi.O_CLOEXEC;
      int written = calls.openat(Abi.AT_FDCWD, path(file), flags, 0600);
      assertThat(written).isNotNegative();
      assertThat(calls.openat(Abi.AT_FDCWD, path(file), flags, 0600)).isEqualTo(-Abi.EEXIST);
      assertThat(calls.write(written, content)).isEqualTo(size);
      assertThat(calls.close(written)).isZero();
      assertThat(Files.readAllBytes(file)).isEqualTo(content);
      assertThat(Files.getPosixFilePermissions(file)).hasSize(2);

      int read = opened(path(file), Abi.O_RDONLY);
      byte[] out = new byte[size + 3];
      Arrays.fill(out, (byte) 7);
      assertThat(calls.read(read, out)).isEqualTo(size);
      assertThat(Arrays.copyOf(out, size)).isEqualTo(content);
      assertThat(out).endsWith(new byte[] {7, 7, 7});
      assertThat(calls.read(read, out)).isZero();
      assertThat(calls.close(read)).isZero();
    }
  }

  @Test
  void aLinkIsReadAsFarAsThereIsRoom() throws Exception {
    byte[] link = path(Files.createSymbolicLink(directory.resolve("link"), Path.of("below/where")));
    byte[] out = new byte[100];

    assertThat(calls.readlinkat(Abi.AT_FDCWD, link, out)).isEqualTo(11);
    assertThat(new String(out, 0, 11, StandardCharsets.UTF_8)).isEqualTo("below/where");
    assertThat(out[11]).isZero();
    assertThat(calls.readlinkat(Abi.AT_FDCWD, link, new byte[4])).isEqualTo(4);
    assertThat(calls.readlinkat(Abi.AT_FDCWD, link, new byte[100_000])).isEqualTo(11);
    assertThat(calls.readlinkat(Abi.AT_FDCWD, path(directory), out)).isEqualTo(-Abi.EINVAL);
  }

  @Test
  void aWalkIsHeldToWhatItMayNotDo() throws Exception {
    assumeTrue(features.has(Feature.OPENAT2), "no openat2 here");
    Files.createSymbolicLink(
        directory.resolve("link"), Files.createDirectory(directory.resolve("below")));
    int at = opened(path(directory), Abi.O_PATH);
    int how = Abi.O_PATH | Abi.O_CLOEXEC;

    int below = calls.openat2(at, Abi.path("below"), how, 0, Abi.RESOLVE_BENEATH);
    assertThat(below).isNotNegative();
    assertThat(calls.close(below)).isZero();
    assertThat(calls.openat2(at, Abi.path("link/."), how, 0, Abi.RESOLVE_NO_SYMLINKS))
        .isEqualTo(-Abi.ELOOP);
    assertThat(calls.openat2(at, Abi.path(".."), how, 0, Abi.RESOLVE_BENEATH))
        .isEqualTo(-Abi.EXDEV);
    assertThat(calls.openat2(at, Abi.path("below"), how, 0, 1L << 62)).isEqualTo(-Abi.EINVAL);
    assertThat(calls.close(at)).isZero();
  }

  @Test
  void aCounterIsWaitedForUntilItIsWritten() throws Exception {
    int counter = calls.eventfd(0, Abi.EFD_CLOEXEC | Abi.EFD_NONBLOCK);
    assertThat(counter).isNotNegative();
    byte[] waited = new byte[2 * Abi.POLLFD_SIZE];
    Struct.u32(waited, 0, counter);
    Struct.u16(waited, Abi.POLLFD_AT_EVENTS, Abi.POLLIN);
    Struct.u32(waited, Abi.POLLFD_SIZE, -1);
    byte[] number = new byte[Long.BYTES];

    assertThat(calls.read(counter, number)).isEqualTo(-Abi.EAGAIN);
    assertThat(calls.poll(waited, 2, 0)).isZero();
    long began = System.nanoTime();
    assertThat(calls.poll(waited, 2, 1050)).isZero();
    assertThat(System.nanoTime() - began).isBetween(1_050_000_000L, 60_000_000_000L);
    assertThat(Struct.u16(waited, Abi.POLLFD_AT_REVENTS)).isZero();

    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<Integer> forEver = other.submit(() -> calls.poll(waited, 2, -1));
      Struct.u64(number, 0, 0x1_0000_0002L);
      assertThat(calls.write(counter, number)).isEqualTo(Long.BYTES);
      assertThat(forEver.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    } finally {
      other.shutdown();
    }
    assertThat(Struct.u16(waited, Abi.POLLFD_AT_REVENTS)).isEqualTo(Abi.POLLIN);
    Struct.u64(number, 0, 0);
    assertThat(calls.read(counter, number)).isEqualTo(Long.BYTES);
    assertThat(Struct.u64(number, 0)).isEqualTo(0x1_0000_0002L);
    assertThat(calls.close(counter)).isZero();
    assertThat(calls.poll(waited, 100_000_000, 0)).isEqualTo(-Abi.EINVAL);
  }

  /** The program that a signal goes to handles it, so a wait ends early, and is not begun again. */
  @Test
  void aWaitThatASignalEndsSaysSo() throws Exception {
    handle("WINCH");
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      int thread = other.submit(LibcForTests::gettid).get();
      byte[] none = new byte[Abi.POLLFD_SIZE];
      Struct.u32(none, 0, -1);
      Future<Integer> waiting = other.submit(() -> calls.poll(none, 1, 60_000));
      while (!waiting.isDone()) {
        assertThat(LibcForTests.signal(thread, SIGWINCH)).isZero();
        Thread.onSpinWait();
      }
      assertThat(waiting.get()).isEqualTo(-Abi.EINTR);
    } finally {
      other.shutdown();
    }
  }

  @Test
  void anInterruptedThreadCallsAsAnyOtherAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThat(calls.statx(MountPath.ROOT, LOOK, FILE, new MountLook())).isZero();
      assertThat(calls.close(-1)).isEqualTo(-Abi.EBADF);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void aMountIsReadIntoAnyRoomThatIsEnough() {
    assumeTrue(features.hasUniqueIds(), "no unique ids here");
    long root = root();
    long all = Abi.STATMOUNT_MNT_BASIC | Abi.STATMOUNT_MNT_POINT | Abi.STATMOUNT_FS_TYPE;
    byte[] request = Struct.mountIdRequest(root, all);
    byte[] small = new byte[1024];
    byte[] large = new byte[1 << 16];

    assertThat(calls.statmount(request, small)).isZero();
    assertThat(calls.statmount(request, large)).isZero();
    assertThat(Arrays.copyOf(large, small.length)).isEqualTo(small);
    int type = Abi.STATMOUNT_STRINGS + Struct.u32(small, Abi.STATMOUNT_AT_FS_TYPE);
    assertThat(small[type]).isBetween((byte) 'a', (byte) 'z');
    assertThat(calls.statmount(request, new byte[Abi.STATMOUNT_STRINGS])).isEqualTo(-Abi.EOVERFLOW);
    assertThat(calls.statmount(Struct.mountIdRequest(-1, all), small)).isEqualTo(-Abi.ENOENT);
  }

  @Test
  void theMountsAreListedInParts() {
    assumeTrue(features.hasUniqueIds(), "no unique ids here");
    long[] all = new long[1 << 16];
    byte[] request = Struct.mountIdRequest(Abi.LSMT_ROOT, 0);
    int count = calls.listmount(request, all);
    assertThat(count).isPositive().isLessThan(all.length);
    assertThat(all[count]).as("nothing is written behind").isZero();

    long[] one = new long[1];
    long last = 0;
    List<Long> inParts = new ArrayList<>();
    while (calls.listmount(Struct.mountIdRequest(Abi.LSMT_ROOT, last), one) == 1) {
      last = one[0];
      inParts.add(last);
    }
    assertThat(inParts).containsExactlyElementsOf(Arrays.stream(all).limit(count).boxed().toList());
    assertThat(calls.listmount(new byte[Abi.MNT_ID_REQ_SIZE], all)).isEqualTo(-Abi.EINVAL);
  }

  @Test
  void whatCannotBeMountedIsRefusedByTheKernel() {
    byte[] missing = path(directory.resolve("missing"));
    byte[] here = path(directory);
    byte[] type = Abi.path("no-filesystem");
    byte[] options = Abi.path("x".repeat(5000));
    int refused = calls.mount(null, missing, null, Abi.MS_BIND, null);
    // The path is looked at before the privilege.
    assertThat(refused).isEqualTo(-Abi.ENOENT);
    assertThat(calls.mount(Abi.path("none"), here, type, 0, options)).isIn(-Abi.ENODEV, -Abi.EPERM);
    assertThat(calls.umount2(missing, 0)).isIn(-Abi.ENOENT, -Abi.EPERM);
    assertThat(calls.umount2(here, 1 << 30)).isEqualTo(-Abi.EINVAL);
  }

  @Test
  void treesThatAreNotThereAreNeitherOpenedNorMovedNorChanged() {
    byte[] missing = path(directory.resolve("missing"));
    byte[] none = Abi.emptyPath();
    if (features.has(Feature.OPEN_TREE)) {
      assertThat(calls.openTree(Abi.AT_FDCWD, missing, Abi.OPEN_TREE_CLOEXEC))
          .isEqualTo(-Abi.ENOENT);
      assertThat(calls.openTree(Abi.AT_FDCWD, missing, 1 << 30)).isEqualTo(-Abi.EINVAL);
      int both = Abi.MOVE_MOUNT_F_EMPTY_PATH | Abi.MOVE_MOUNT_T_EMPTY_PATH;
      assertThat(calls.moveMount(-1, none, -1, none, both)).isIn(-Abi.EBADF, -Abi.EPERM);
    }
    if (features.has(Feature.MOUNT_SETATTR)) {
      byte[] change = new byte[32];
      Struct.u64(change, 0, Abi.MOUNT_ATTR_RDONLY);
      assertThat(calls.mountSetattr(-1, none, Abi.AT_EMPTY_PATH, change)).isEqualTo(-Abi.EBADF);
      assertThat(calls.mountSetattr(Abi.AT_FDCWD, missing, 0, change)).isEqualTo(-Abi.ENOENT);
    }
  }

  @Test
  void eventsThatCannotBeHadAreRefusedByTheKernel() {
    assertThat(calls.fanotifyInit(1 << 30, 0)).isIn(-Abi.EINVAL, -Abi.EPERM, -Abi.ENOSYS);
    long mask = Abi.FAN_MNT_ATTACH;
    assertThat(calls.fanotifyMark(-1, Abi.FAN_MARK_ADD, mask, -1, null))
        .isIn(-Abi.EBADF, -Abi.EINVAL, -Abi.ENOSYS);
    assertThat(calls.fanotifyMark(-1, Abi.FAN_MARK_ADD, 0, Abi.AT_FDCWD, path(directory)))
        .isIn(-Abi.EINVAL, -Abi.ENOSYS);
  }

  @Test
  void eachOfManyThreadsHearsItsOwnError() throws Exception {
    byte[] missing = path(directory.resolve("missing"));
    byte[] notDirectory = path(Files.createFile(directory.resolve("file")).resolve("below"));
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        byte[] path = i % 2 == 0 ? missing : notDirectory;
        int expected = i % 2 == 0 ? -Abi.ENOENT : -Abi.ENOTDIR;
        boolean collects = i == 0;
        all.add(
            threads.submit(
                () -> {
                  byte[] out = new byte[Abi.STATX_SIZE];
                  for (int call = 0; call < 5_000; call++) {
                    assertThat(calls.statx(Abi.AT_FDCWD, path, LOOK, FILE, out))
                        .isEqualTo(expected);
                    assertThat(calls.close(-1)).isEqualTo(-Abi.EBADF);
                    if (collects && call % 500 == 0) {
                      // The collector stops all threads, and makes system calls of its own.
                      System.gc();
                    }
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void virtualThreadsShareAFewPiecesOfMemory() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads came with Java 21");
    ExecutorService virtual =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    CountDownLatch begin = new CountDownLatch(1);
    List<Future<Integer>> looked = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      boolean there = i % 2 == 0;
      MountPath path = MountPath.of(there ? directory : directory.resolve("missing-" + i));
      looked.add(
          virtual.submit(
              () -> {
                begin.await();
                return calls.statx(path, LOOK, FILE, new MountLook());
              }));
    }
    begin.countDown();
    for (int i = 0; i < looked.size(); i++) {
      assertThat(looked.get(i).get()).isEqualTo(i % 2 == 0 ? 0 : -Abi.ENOENT);
    }
    virtual.shutdown();
  }

  /** Calls that need more than the memory that is kept: 20 GB, if none of it were freed. */
  @Test
  void theMemoryOfALargeCallIsFreedWithIt() throws Exception {
    int nothing = opened(Abi.path("/dev/null"), Abi.O_RDONLY);
    byte[] large = new byte[1 << 20];
    long before = residentKib();

    for (int i = 0; i < 20_000; i++) {
      assertThat(calls.read(nothing, large)).isZero();
    }

    assertThat(residentKib() - before).isLessThan(200_000);
    assertThat(calls.close(nothing)).isZero();
  }

  /** By names, since the compiler warns of these types. */
  private static void handle(String name) throws Exception {
    Class<?> type = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object nothing =
        Proxy.newProxyInstance(
            SyscallsContract.class.getClassLoader(),
            new Class<?>[] {handler},
            (proxy, method, arguments) -> null);
    Object signal = type.getConstructor(String.class).newInstance(name);
    type.getMethod("handle", type, handler).invoke(null, signal, nothing);
  }

  private static long residentKib() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  private long root() {
    byte[] out = new byte[Abi.STATX_SIZE];
    assertThat(calls.statx(Abi.AT_FDCWD, Abi.path("/"), LOOK, Abi.STATX_MNT_ID_UNIQUE, out))
        .isZero();
    return Struct.u64(out, Abi.STATX_AT_MNT_ID);
  }

  private int opened(byte[] path, int flags) {
    int opened = calls.openat(Abi.AT_FDCWD, path, flags | Abi.O_CLOEXEC, 0);
    assertThat(opened).isNotNegative();
    return opened;
  }

  private static byte[] path(Path path) {
    return Abi.path(path.toString());
  }
}
