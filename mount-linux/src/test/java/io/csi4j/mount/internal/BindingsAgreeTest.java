package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.internal.kernel.Syscalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;

/** That both bindings make the same calls: in one JVM, with any arguments, side by side. */
@EnabledForJreRange(
    minVersion = 22,
    disabledReason = "java.lang.foreign came with Java 22: there is one binding here")
class BindingsAgreeTest {

  private static final int CALLS = 10_000;

  private static final List<String> NAMES =
      List.of("file", "link", "directory", "directory/below", "file/below", "link/", "", "missing");

  @TempDir Path directory;

  private final Syscalls jna = Bindings.load("jna", SyscallsContract.ARCHITECTURE);
  private final Syscalls foreign = Bindings.load("foreign", SyscallsContract.ARCHITECTURE);

  /** A directory of each, as calls may change it. */
  private int jnaDirectory;

  private int foreignDirectory;

  @BeforeEach
  void openDirectories() throws Exception {
    jnaDirectory = open(jna, "one");
    foreignDirectory = open(foreign, "other");
  }

  private int open(Syscalls calls, String name) throws Exception {
    Path made = Files.createDirectory(directory.resolve(name));
    Files.createSymbolicLink(made.resolve("link"), Path.of("file"));
    Files.createDirectory(made.resolve("directory"));
    Files.write(made.resolve("file"), new byte[] {1, 2, 3});
    byte[] path = Abi.path(made.toString());
    int opened = calls.openat(Abi.AT_FDCWD, path, Abi.O_DIRECTORY | Abi.O_CLOEXEC, 0);
    assertThat(opened).isNotNegative();
    return opened;
  }

  @AfterEach
  void closeDirectories() {
    assertThat(jna.close(jnaDirectory)).isZero();
    assertThat(foreign.close(foreignDirectory)).isZero();
  }

  @Test
  void theSameArgumentsHaveTheSameAnswers() {
    long seed = new Random().nextLong();
    for (int call = 0; call < CALLS; call++) {
      // Mixed, as the numbers of neighbouring seeds begin alike.
      long mixed = (seed + call) * 0x9E3779B97F4A7C15L;
      String byJna = answer(jna, jnaDirectory, new Random(mixed));
      String byForeign = answer(foreign, foreignDirectory, new Random(mixed));

      assertThat(byForeign).as("call %d of seed %d", call, seed).isEqualTo(byJna);
    }
  }

  /** The name of one call with the arguments that this random gives, and all that it answers. */
  private static String answer(Syscalls calls, int directory, Random random) {
    // Never the directory that the JVM is in.
    int at = random.nextInt(8) == 0 ? -1 - random.nextInt(90) : directory;
    byte[] path = path(random);
    byte[] out = new byte[random.nextInt(2) == 0 ? 300 : 1 + random.nextInt(10_000)];
    int flags = random.nextInt(4) == 0 ? 1 << random.nextInt(32) : 0;
    return switch (random.nextInt(14)) {
      case 0 -> {
        // Times and numbers of files are their own.
        int result = calls.statx(at, path, flags, Abi.STATX_TYPE | Abi.STATX_FILE_SIZE, out);
        yield "statx " + result + (out.length < 48 ? "" : " " + Struct.u64(out, 40));
      }
      case 1 -> {
        int opened = calls.openat(at, path, Abi.O_PATH | flags, 0600);
        yield "openat " + closed(calls, opened);
      }
      case 2 -> {
        int how = Abi.O_PATH | Abi.O_CLOEXEC;
        yield "openat2 " + closed(calls, calls.openat2(at, path, how, 0, random.nextInt(64)));
      }
      case 3 -> "readlinkat " + calls.readlinkat(at, path, out) + shown(out);
      case 4 -> "mkdirat " + calls.mkdirat(at, path, 0700 | flags);
      case 5 -> "unlinkat " + calls.unlinkat(at, path, random.nextBoolean() ? 0x200 : flags);
      case 6 -> "close " + calls.close(-1 - random.nextInt(100));
      case 7 -> {
        byte[] request = Struct.mountIdRequest(random.nextInt(5), 1L << random.nextInt(20));
        yield "statmount " + calls.statmount(request, out) + shown(out);
      }
      case 8 -> {
        long[] ids = new long[1 + random.nextInt(3_000)];
        byte[] request = Struct.mountIdRequest(random.nextInt(3) - 1L, random.nextInt(9));
        yield "listmount " + calls.listmount(request, ids) + Arrays.hashCode(ids);
      }
      case 9 -> "read " + calls.read(at, out) + " " + calls.write(at, out);
      case 10 -> {
        byte[] waited = new byte[Abi.POLLFD_SIZE];
        Struct.u32(waited, 0, at == directory ? -1 : at);
        yield "poll " + calls.poll(waited, random.nextInt(2), 0) + shown(waited);
      }
      case 11 -> "umount2 " + calls.umount2(path, 1 << 20);
      case 12 -> "open_tree " + closed(calls, calls.openTree(at, path, flags | 1 << 30));
      default ->
          "move_mount "
              + calls.moveMount(-1, path, at, path, flags)
              + " mount_setattr "
              + calls.mountSetattr(-1, path, flags, new byte[32])
              + " fanotify_mark "
              + calls.fanotifyMark(-1, flags, 1L << random.nextInt(64), at, path)
              + " mount "
              + calls.mount(path, Abi.path("missing/below"), null, flags, out);
    };
  }

  private static byte[] path(Random random) {
    byte[] any = new byte[1 + random.nextInt(8)];
    random.nextBytes(any);
    // No way out of the directory.
    for (int i = 0; i < any.length; i++) {
      any[i] = any[i] == '/' || any[i] == '.' ? (byte) 0xff : any[i];
    }
    any[any.length - 1] = 0;
    int choice = random.nextInt(NAMES.size() + 4);
    if (choice == NAMES.size()) {
      return Abi.path("x".repeat(random.nextInt(20_000)));
    }
    return choice < NAMES.size() ? Abi.path(NAMES.get(choice)) : any;
  }

  private static String closed(Syscalls calls, int opened) {
    return opened < 0 ? Integer.toString(opened) : "opened, closed " + calls.close(opened);
  }

  private static String shown(byte[] out) {
    return " " + HexFormat.of().formatHex(out, 0, Math.min(out.length, 64));
  }
}
