package io.csi4j.mount.internal.kernel;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

/** System calls that are written down, or answered by the test. */
public final class ScriptedCalls {

  private ScriptedCalls() {}

  /** What a call answers. */
  @FunctionalInterface
  public interface Answer {
    /** The result of a call, or the error with a minus sign. */
    int to(String call, Object[] arguments);
  }

  /** One call that was made. */
  public record Call(String name, List<Object> arguments) {}

  /** Calls that this answers. */
  public static Syscalls answering(Answer answer) {
    return (Syscalls)
        Proxy.newProxyInstance(
            ScriptedCalls.class.getClassLoader(),
            new Class<?>[] {Syscalls.class},
            (proxy, method, arguments) ->
                method.getName().equals("binding")
                    ? "a script"
                    : (Object) answer.to(method.getName(), arguments));
  }

  /** The same calls, each written down first. */
  public static Syscalls recording(Syscalls calls, List<Call> log) {
    return (Syscalls)
        Proxy.newProxyInstance(
            ScriptedCalls.class.getClassLoader(),
            new Class<?>[] {Syscalls.class},
            (proxy, method, arguments) -> {
              log.add(new Call(method.getName(), java.util.Arrays.asList(arguments.clone())));
              try {
                return method.invoke(calls, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
