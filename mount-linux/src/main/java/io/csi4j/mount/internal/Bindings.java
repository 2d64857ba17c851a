package io.csi4j.mount.internal;

import io.csi4j.mount.internal.kernel.Syscalls;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The choice between the bindings of the system calls. */
public final class Bindings {

  /** The system property that selects a binding: {@code foreign} or {@code jna}. */
  public static final String PROPERTY = "csi4j.mount.binding";

  private Bindings() {}

  /**
   * Loads {@code java.lang.foreign} if this JVM has it and permits its use, otherwise JNA. A
   * selected binding is not replaced by the other.
   *
   * @param asked the value of {@link #PROPERTY}, if it is set
   * @param architecture the name of the processor's architecture, as the JVM has it
   * @throws UnsupportedOperationException if its system call numbers are not known
   * @throws IllegalStateException if no binding can be loaded, with the reason
   */
  public static Syscalls load(@Nullable String asked, String architecture) {
    boolean isX86 = CallNumber.isX86(architecture);
    if (asked == null) {
      return loadBest(isX86);
    }
    try {
      return switch (asked) {
        case "foreign" -> foreign(isX86);
        case "jna" -> jna("-D" + PROPERTY + "=jna asks for it", isX86);
        default -> throw new IllegalArgumentException("the bindings are named foreign and jna");
      };
    } catch (RuntimeException | Error e) {
      throw new IllegalStateException("-D" + PROPERTY + "=" + asked + ": " + reason(e), e);
    }
  }

  private static Syscalls loadBest(boolean isX86) {
    Optional<String> obstacle = ForeignLibc.obstacle();
    Throwable refusal = null;
    if (obstacle.isEmpty()) {
      try {
        return foreign(isX86);
      } catch (RuntimeException | Error e) {
        refusal = e;
        obstacle = Optional.of(reason(e));
      }
    }
    String why = obstacle.get();
    try {
      return jna(why, isX86);
    } catch (RuntimeException | Error e) {
      // Catches any error: a JNA library of another version on the system throws a plain Error.
      IllegalStateException none =
          new IllegalStateException("java.lang.foreign: " + why + "; JNA: " + reason(e), e);
      if (refusal != null) {
        none.addSuppressed(refusal);
      }
      throw none;
    }
  }

  private static Syscalls foreign(boolean isX86) {
    return new LibcSyscalls(new ForeignLibc(isX86), isX86);
  }

  private static Syscalls jna(String why, boolean isX86) {
    return new LibcSyscalls(new JnaLibc(why, isX86), isX86);
  }

  /** Returns the cause of an error in the initialization of a class. */
  private static String reason(Throwable thrown) {
    Throwable cause =
        thrown instanceof ExceptionInInitializerError && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    return String.valueOf(cause);
  }
}
