package io.csi4j.client.internal.transport;

import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLogger;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Disables the HTTP/2 frame log of gRPC for connections of this client. At DEBUG, this log prints
 * complete frames, including secrets, and the API of gRPC cannot turn it off.
 *
 * <p>Every frame of a connection is read and written on the connection's own I/O thread. So the
 * frame logger, and no other logger, logs nothing on threads of type {@link IoThread}. Other
 * loggers, and the frame log of other gRPC clients in this process, work as before. The only global
 * change concerns the factory of netty's (shaded) loggers, because netty has only one factory: this
 * class wraps the previous factory. Setting a log level would be simpler, but a later configuration
 * of the logging framework would undo it.
 */
public final class FrameLogSilencer extends InternalLoggerFactory {

  private static final String FRAMES = "io.grpc.netty.shaded.io.grpc.netty.NettyClientHandler";

  private final InternalLoggerFactory wrapped;
  private final Method newInstance;

  private FrameLogSilencer(InternalLoggerFactory wrapped) {
    this.wrapped = wrapped;
    try {
      // The method is protected, so it can be called on another factory only by reflection.
      newInstance = InternalLoggerFactory.class.getDeclaredMethod("newInstance", String.class);
      newInstance.setAccessible(true);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(
          "The gRPC in use has other loggers than the one that csi4j was built with.", e);
    }
  }

  /**
   * Installs this factory, so that frame loggers created later are silent. Returns false if it was
   * not installed before.
   */
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
