package io.csi4j.mount.real;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Struct;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/**
 * An older kernel: a thread on which a seccomp filter answers system calls with an error. Other
 * threads are not touched. The real call fails on its real path, so features that are detected
 * wrongly show, which a fake of the Java calls would hide.
 */
public final class HiddenCalls {

  public static final int STATX = System.getProperty("os.arch").equals("amd64") ? 332 : 291;
  public static final int OPEN_TREE = 428;
  public static final int MOVE_MOUNT = 429;
  public static final int OPENAT2 = 437;
  public static final int MOUNT_SETATTR = 442;
  public static final int STATMOUNT = 457;
  public static final int LISTMOUNT = 458;
  public static final int FANOTIFY_INIT = System.getProperty("os.arch").equals("amd64") ? 300 : 262;

  private static final int PR_SET_NO_NEW_PRIVS = 38;
  private static final int PR_SET_SECCOMP = 22;
  private static final int SECCOMP_MODE_FILTER = 2;
  private static final int LOAD_WORD = 0x20;
  private static final int JUMP_IF_EQUAL = 0x15;
  private static final int JUMP_IF_ANY_BIT = 0x45;
  private static final int RETURN = 0x06;

  /** Where the filter finds the number of the call, and the lower half of its third argument. */
  private static final int NUMBER = 0;

  private static final int THIRD_ARGUMENT = 32;
  private static final int FLAGS_OF_THE_MODULE =
      Abi.AT_NO_AUTOMOUNT | Abi.AT_STATX_DONT_SYNC | Abi.AT_STATX_FORCE_SYNC;

  private static final int ALLOW = 0x7fff0000;
  private static final int FAIL_WITH = 0x00050000;

  private HiddenCalls() {}

  /** Runs this on a thread of its own, where the calls answer with that error. */
  public static <T> T on(int errno, Callable<T> work, int... calls) throws Exception {
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              hide(errno, calls);
              return work.call();
            });
    Thread thread = new Thread(task, "older-kernel");
    thread.start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw (Error) e.getCause();
    }
  }

  /**
   * Hides calls, named as in {@code "statmount,listmount"}, from the current thread and all that it
   * starts: an older kernel for all tests that run here. It has to come before the kernel is first
   * asked for its features.
   */
  static void hideFromAll(String names) {
    int[] calls =
        Stream.of(names.split(","))
            .filter(name -> !name.isEmpty())
            .mapToInt(HiddenCalls::number)
            .toArray();
    if (calls.length > 0) {
      hide(Abi.ENOSYS, calls);
    }
  }

  private static int number(String name) {
    return switch (name) {
      case "statx" -> STATX;
      case "open_tree" -> OPEN_TREE;
      case "move_mount" -> MOVE_MOUNT;
      case "openat2" -> OPENAT2;
      case "mount_setattr" -> MOUNT_SETATTR;
      case "statmount" -> STATMOUNT;
      case "listmount" -> LISTMOUNT;
      case "fanotify_init" -> FANOTIFY_INIT;
      default -> throw new IllegalArgumentException("No call to hide has the name " + name + ".");
    };
  }

  /**
   * Hides the calls from the current thread, for ever. Of {@code statx}, those of the JDK are let
   * through: it asks without flags about waiting.
   */
  public static void hide(int errno, int... calls) {
    int length = 2;
    for (int call : calls) {
      length += call == STATX ? 5 : 2;
    }
    byte[] program = new byte[length * 8];
    int at = 0;
    instruction(program, at++, LOAD_WORD, 0, 0, NUMBER);
    for (int call : calls) {
      if (call == STATX) {
        instruction(program, at++, JUMP_IF_EQUAL, 0, 4, call);
        instruction(program, at++, LOAD_WORD, 0, 0, THIRD_ARGUMENT);
        instruction(program, at++, JUMP_IF_ANY_BIT, 0, 1, FLAGS_OF_THE_MODULE);
        instruction(program, at++, RETURN, 0, 0, FAIL_WITH | errno);
        instruction(program, at++, LOAD_WORD, 0, 0, NUMBER);
      } else {
        instruction(program, at++, JUMP_IF_EQUAL, 0, 1, call);
        instruction(program, at++, RETURN, 0, 0, FAIL_WITH | errno);
      }
    }
    instruction(program, at, RETURN, 0, 0, ALLOW);
    Memory code = LibcForTests.memory(program);
    Memory header = new Memory(16);
    header.clear();
    header.setShort(0, (short) length);
    header.setPointer(8, code);
    if (LibcForTests.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || LibcForTests.prctl(
                PR_SET_SECCOMP, SECCOMP_MODE_FILTER, Pointer.nativeValue(header), 0, 0)
            != 0) {
      throw new AssertionError("seccomp: errno " + Native.getLastError());
    }
  }

  private static void instruction(
      byte[] program, int index, int code, int ifTrue, int ifFalse, int operand) {
    Struct.u16(program, index * 8, code);
    program[index * 8 + 2] = (byte) ifTrue;
    program[index * 8 + 3] = (byte) ifFalse;
    Struct.u32(program, index * 8 + 4, operand);
  }
}
