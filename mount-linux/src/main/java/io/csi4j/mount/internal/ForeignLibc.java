package io.csi4j.mount.internal;

import io.csi4j.mount.internal.kernel.Abi;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The binding with {@code java.lang.foreign}, which is part of Java 22 and newer. It needs no
 * additional library.
 *
 * <p>This class is compiled for Java 17, which lacks that package. So it obtains by reflection,
 * once, a method handle that takes numbers, and the addresses of memory; a call uses none of the
 * package's types.
 */
final class ForeignLibc implements Libc {

  /** The first Java version that has the package as a final API. */
  private static final int SINCE = 22;

  /** The first Java version that warns about JNA as it does about this package. */
  private static final int BOTH_ARE_RESTRICTED = 24;

  /** The memory of a call begins with its error number. */
  private static final int SIZE_OF_ERRNO = Long.BYTES;

  /**
   * The function itself; using it throws what the JVM throws if native access is forbidden.
   *
   * <p>There is only one handle, because linking each signature takes the JVM milliseconds.
   */
  private static final class Functions {
    static final Foreign FOREIGN = new Foreign();
    static final MethodHandle SYSCALL = FOREIGN.syscall();
  }

  /** Memory with space for the error number. */
  private static final class Captured extends CallMemory {
    private final ByteBuffer errno;

    /** The same space, for the handle: a {@code MemorySegment}. */
    private final Object place;

    Captured(ByteBuffer all, long address, Consumer<? super CallMemory> owner) {
      super(
          all.slice(SIZE_OF_ERRNO, all.capacity() - SIZE_OF_ERRNO), address + SIZE_OF_ERRNO, owner);
      errno = all.slice(0, SIZE_OF_ERRNO).order(ByteOrder.nativeOrder());
      place = Functions.FOREIGN.segment(all.slice(0, SIZE_OF_ERRNO));
    }

    int errno() {
      return errno.getInt(0);
    }
  }

  /**
   * Links the function; throws what the JVM throws if native access is forbidden.
   *
   * @param isX86 whether the architecture has the system call numbers of x86-64
   * @throws IllegalStateException if the function does not work as expected
   */
  ForeignLibc(boolean isX86) {
    try (CallMemory memory = scratch(over -> {})) {
      // Every filter allows this call, and its failure shows whether errors are captured.
      long answer = syscall(memory, CallNumber.CLOSE.number(isX86), -1, 0, 0, 0, 0);
      if (answer != -Abi.EBADF) {
        throw new IllegalStateException("closing no file answered " + answer + ", not EBADF");
      }
    }
  }

  /**
   * Returns why this binding is not preferred; empty if it is.
   *
   * <p>Java 22 and 23 warn about it and not about JNA; newer versions warn about both. A permission
   * for JNA's module only leads to JNA.
   */
  static Optional<String> obstacle() {
    int version = Integer.parseInt(System.getProperty("java.specification.version", "17"));
    if (version < SINCE) {
      return Optional.of("java.lang.foreign came with Java 22, and this is " + version);
    }
    Module own = ForeignLibc.class.getModule();
    if (isNativeAccessEnabled(own)) {
      return Optional.empty();
    }
    boolean isJnaBetter =
        version < BOTH_ARE_RESTRICTED
            || Optional.ofNullable(own.getLayer())
                .flatMap(layer -> layer.findModule("com.sun.jna"))
                .filter(ForeignLibc::isNativeAccessEnabled)
                .isPresent();
    return isJnaBetter
        ? Optional.of(
            "this JVM was started without --enable-native-access="
                + (own.isNamed() ? own.getName() : "ALL-UNNAMED"))
        : Optional.empty();
  }

  private static boolean isNativeAccessEnabled(Module module) {
    return (boolean) Foreign.call(Module.class, "isNativeAccessEnabled", module, List.of());
  }

  @Override
  public String binding() {
    return "java.lang.foreign";
  }

  @Override
  public CallMemory scratch(Consumer<? super CallMemory> owner) {
    ByteBuffer all = ByteBuffer.allocateDirect(SIZE_OF_ERRNO + CallMemory.SIZE);
    return new Captured(all, Functions.FOREIGN.address(Functions.FOREIGN.segment(all)), owner);
  }

  @Override
  public CallMemory large(long size) {
    Foreign foreign = Functions.FOREIGN;
    AutoCloseable arena = foreign.arena();
    Object segment = foreign.allocate(arena, SIZE_OF_ERRNO + size);
    return new Captured(
        foreign.buffer(segment), foreign.address(segment), over -> foreign.free(arena));
  }

  /**
   * The error is captured on each call: that costs one percent of the call, and no call is made
   * twice.
   */
  @Override
  public long syscall(CallMemory memory, long number, long a, long b, long c, long d, long e) {
    Captured captured = (Captured) memory;
    long returned;
    try {
      returned = (long) Functions.SYSCALL.invokeExact(captured.place, number, a, b, c, d, e);
    } catch (RuntimeException | Error thrown) {
      throw thrown;
    } catch (Throwable checked) {
      throw new IllegalStateException("A function of the C library threw.", checked);
    }
    return returned >= 0 ? returned : -captured.errno();
  }

  /** The types of {@code java.lang.foreign}, by name. */
  private static final class Foreign {

    private static final int NUMBERS = 6;

    private final Class<?> linker = type("Linker");
    private final Class<?> option = type("Linker$Option");
    private final Class<?> segment = type("MemorySegment");
    private final Class<?> layout = type("MemoryLayout");
    private final Class<?> descriptor = type("FunctionDescriptor");
    private final Class<?> arena = type("Arena");

    /**
     * Returns {@code long syscall(long number, ...)} with five more numbers and, before them all,
     * the space for the error. Each number is passed in its own register, so the extra numbers do
     * not disturb a call with fewer arguments.
     */
    MethodHandle syscall() {
      Object nativeLinker = call(linker, "nativeLinker", null, List.of());
      Object lookup = call(linker, "defaultLookup", nativeLinker, List.of());
      Optional<?> found =
          (Optional<?>)
              call(type("SymbolLookup"), "find", lookup, List.of(String.class), "syscall");
      Object function =
          found.orElseThrow(() -> new IllegalStateException("the C library has no syscall()"));
      Object number = constant(type("ValueLayout"), "JAVA_LONG");
      Object numbers = array(layout, Collections.nCopies(NUMBERS, number));
      Object type =
          call(descriptor, "of", null, List.of(layout, numbers.getClass()), number, numbers);
      String[] errno = {"errno"};
      Object captured =
          call(option, "captureCallState", null, List.of(String[].class), (Object) errno);
      Object variadic = call(option, "firstVariadicArg", null, List.of(int.class), 1);
      Object options = array(option, List.of(captured, variadic));
      MethodHandle handle =
          (MethodHandle)
              call(
                  linker,
                  "downcallHandle",
                  nativeLinker,
                  List.of(segment, descriptor, options.getClass()),
                  function,
                  type,
                  options);
      return handle.asType(
          MethodType.methodType(
              long.class,
              Object.class,
              Collections.nCopies(NUMBERS, long.class).toArray(Class<?>[]::new)));
    }

    /** Returns the segment of a buffer. */
    Object segment(ByteBuffer buffer) {
      return call(segment, "ofBuffer", null, List.of(Buffer.class), buffer);
    }

    /** Returns the buffer of a segment. */
    ByteBuffer buffer(Object of) {
      return (ByteBuffer) call(segment, "asByteBuffer", of, List.of());
    }

    long address(Object of) {
      return (long) call(segment, "address", of, List.of());
    }

    /** Returns memory that the thread that allocated it frees. */
    AutoCloseable arena() {
      return (AutoCloseable) call(arena, "ofConfined", null, List.of());
    }

    Object allocate(AutoCloseable from, long size) {
      List<Class<?>> sizes = List.of(long.class, long.class);
      return call(arena, "allocate", from, sizes, size, (long) Long.BYTES);
    }

    void free(AutoCloseable memory) {
      call(arena, "close", memory, List.of());
    }

    private static Class<?> type(String name) {
      try {
        return Class.forName("java.lang.foreign." + name);
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException("this JVM has no java.lang.foreign." + name, e);
      }
    }

    private static Object constant(Class<?> type, String name) {
      try {
        return type.getField(name).get(null);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(type + " has no " + name, e);
      }
    }

    private static Object array(Class<?> of, List<?> elements) {
      Object array = Array.newInstance(of, elements.size());
      for (int i = 0; i < elements.size(); i++) {
        Array.set(array, i, elements.get(i));
      }
      return array;
    }

    /** Calls a public method, static if there is no object; throws what it throws. */
    private static Object call(
        Class<?> type,
        String method,
        @Nullable Object on,
        List<Class<?>> parameters,
        Object... arguments) {
      try {
        return type.getMethod(method, parameters.toArray(Class<?>[]::new)).invoke(on, arguments);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException thrown) {
          throw thrown;
        }
        throw new IllegalStateException(method + " failed: " + e.getCause(), e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("this JVM has no " + type.getName() + "." + method, e);
      }
    }
  }
}
