package io.csi4j.volume.internal.port;

/** Is told of every named moment; in production none is set. */
@FunctionalInterface
public interface CrashPoints {

  /** Ignores them. */
  CrashPoints NONE = point -> {};

  /** An operation is at this moment. */
  void at(CrashPoint point);
}
