package io.csi4j.volume.internal.port;

/** Told of every named moment; in production nobody is. */
@FunctionalInterface
public interface CrashPoints {

  /** Nobody is told. */
  CrashPoints NONE = point -> {};

  /** An operation is at this moment. */
  void at(CrashPoint point);
}
