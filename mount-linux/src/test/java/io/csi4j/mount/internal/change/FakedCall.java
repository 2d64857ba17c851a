package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Syscalls;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.IntSupplier;

/** A kernel of which some calls do something else, or wait before they do what they do. */
public final class FakedCall {

  private FakedCall() {}

  /** The kernel where calls of that name answer this. */
  public static Kernel answering(Kernel kernel, String name, IntSupplier answer) {
    return with(kernel, name, (real, arguments) -> answer.getAsInt());
  }

  /** The kernel where calls of that name answer this, and do what they do if that is 0. */
  public static Kernel sometimes(Kernel kernel, String name, IntSupplier answer) {
    return with(
        kernel,
        name,
        (real, arguments) -> {
          int faked = answer.getAsInt();
          return faked == 0 ? real.call(arguments) : faked;
        });
  }

  /** The kernel where calls of that name do this before they do what they do. */
  public static Kernel before(Kernel kernel, String name, Runnable first) {
    return with(
        kernel,
        name,
        (real, arguments) -> {
          first.run();
          return real.call(arguments);
        });
  }

  /** The kernel where calls of that name do this after they did what they do. */
  public static Kernel after(Kernel kernel, String name, Runnable then) {
    return with(
        kernel,
        name,
        (real, arguments) -> {
          Object result = real.call(arguments);
          then.run();
          return result;
        });
  }

  private interface Call {
    Object call(Object[] arguments) throws Throwable;
  }

  private interface Replacement {
    Object call(Call real, Object[] arguments) throws Throwable;
  }

  private static Kernel with(Kernel kernel, String name, Replacement replacement) {
    Syscalls calls =
        (Syscalls)
            Proxy.newProxyInstance(
                FakedCall.class.getClassLoader(),
                new Class<?>[] {Syscalls.class},
                (proxy, method, arguments) -> {
                  Call real =
                      passed -> {
                        try {
                          return method.invoke(kernel.calls(), passed);
                        } catch (InvocationTargetException e) {
                          throw e.getCause();
                        }
                      };
                  return method.getName().equals(name)
                      ? replacement.call(real, arguments)
                      : real.call(arguments);
                });
    return kernel.with(calls, kernel.features());
  }
}
