package io.csi4j.volume.sim;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.EnumMap;
import java.util.Map;

/**
 * The seams of the engine, each a port that it calls. At one of them, the n-th time that it is
 * passed, an error is thrown: before the port has done what it was called for, or after that.
 */
final class Seams {

  /** A port of the engine. */
  enum Seam {
    CLOCK,
    SCHEDULER,
    KERNEL,
    PLUGINS,
    PLUGIN,
    /** Also what is encoded for it, which is thrown at the same place. */
    STATE,
    DISK,
    CRASH_POINTS,
    LISTENERS,
    CLAIMS
  }

  /** What is thrown: of no kind that anybody knows. */
  static final class Torn extends Error {
    private static final long serialVersionUID = 1L;

    Torn(Seam seam) {
      super("torn at " + seam);
    }
  }

  private final Map<Seam, Integer> passed = new EnumMap<>(Seam.class);
  private final Seam tearing;
  private final int at;
  private final boolean afterwards;
  private final boolean counting;
  private boolean armed;

  private Seams(Seam tearing, int at, boolean afterwards, boolean counting) {
    this.tearing = tearing;
    this.at = at;
    this.afterwards = afterwards;
    this.counting = counting;
  }

  /** None tears. */
  static Seams none() {
    return new Seams(Seam.CLOCK, -1, false, false);
  }

  /** None tears, and each is counted. */
  static Seams counting() {
    return new Seams(Seam.CLOCK, -1, false, true);
  }

  /** This one tears when it is passed for the n-th time, counted from 1. */
  static Seams tearing(Seam seam, int at, boolean afterwards) {
    return new Seams(seam, at, afterwards, true);
  }

  /** Counts from now on: the engine is open. */
  void arm() {
    armed = true;
  }

  /** How often each was passed. */
  Map<Seam, Integer> passed() {
    return passed;
  }

  int at() {
    return at;
  }

  /** A port behind a seam. */
  <T> T at(Seam seam, Class<T> type, T port) {
    if (!counting) {
      return port;
    }
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(port, arguments);
          }
          boolean tears = armed && passed.merge(seam, 1, Integer::sum) == at && seam == tearing;
          if (tears && !afterwards) {
            throw new Torn(seam);
          }
          Object result;
          try {
            result = method.invoke(port, arguments);
          } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
          }
          if (tears) {
            throw new Torn(seam);
          }
          return result;
        };
    return type.cast(
        Proxy.newProxyInstance(Seams.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
