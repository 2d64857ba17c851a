package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Disables the HTTP/2 frame log of gRPC for connections of this client: at DEBUG it prints complete
 * frames, secrets included, and gRPC's API offers no switch for it.
 *
 * <p>Every frame of a connection is read and written on the connection's own I/O thread. So the
 * logger of frames, and only that logger, is silent on threads of type {@link IoThread}; other
 * loggers, and the frames of other gRPC clients in this process, are logged as before. The only
 * global change is the factory of netty's (shaded) loggers, because netty has just one: this
 * factory wraps the previous one. Setting levels of a logging framework would be simpler, but
 * reconfiguring the framework would undo it.
 */
public final class FrameLogSilencer extends InternalLoggerFactory {

  private static final String FRAMES = "io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler";

  private final InternalLoggerFactory wrapped;
  private final Method newInstance;

  private FrameLogSilencer(InternalLoggerFactory wrapped) {
    this.wrapped = wrapped;
    try {
      // The method is protected, so the method of another factory can only be called by reflection.
      newInstance = InternalLoggerFactory.class.getDeclaredMethod("newInstance", String.class);
      newInstance.setAccessible(true);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(
          "The gRPC in use has other loggers than the one that csi4j was built with.", e);
    }
  }

  /** Makes loggers created from now on silent; returns false if they were not silent before. */
  public static boolean install() {
    synchronized (FrameLogSilencer.class) {
      InternalLoggerFactory current = InternalLoggerFactory.getDefaultFactory();
      if (current instanceof FrameLogSilencer) {
        return true;
      }
      InternalLoggerFactory.setDefaultFactory(new FrameLogSilencer(current));
      return false;
    }
  }

  /** A thread on which frames are not logged. */
  public static final class IoThread extends FastThreadLocalThread {
    IoThread(Runnable task) {
      super(task);
      setName("csi4j-io-" + getId());
      setDaemon(true);
    }
  }

  @Override
  protected InternalLogger newInstance(String name) {
    if (call(newInstance, wrapped, name) instanceof InternalLogger logger) {
      return name.equals(FRAMES) ? silent(logger) : logger;
    }
    throw new IllegalStateException("The logger factory " + wrapped + " makes no loggers.");
  }

  private static InternalLogger silent(InternalLogger logger) {
    return (InternalLogger)
        Proxy.newProxyInstance(
            InternalLogger.class.getClassLoader(),
            new Class<?>[] {InternalLogger.class},
            (proxy, method, arguments) -> {
              if (Thread.currentThread() instanceof IoThread) {
                if (method.getReturnType() == boolean.class) {
                  return false;
                }
                if (method.getReturnType() == void.class) {
                  return null;
                }
              }
              return call(method, logger, arguments);
            });
  }

  private static @Nullable Object call(Method method, Object target, Object... arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException thrown) {
        throw thrown;
      }
      if (e.getCause() instanceof Error thrown) {
        throw thrown;
      }
      throw new IllegalStateException(e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
