package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.lifecycle.Turn;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.Verb;
import java.util.Optional;

/** Which named moment it is before and after each step. */
final class Moments {

  private Moments() {}

  /** The moment after a step that ends at once. */
  static Optional<CrashPoint> after(Turn at) {
    if (at.step() instanceof Step.Save save) {
      return Optional.of(save.point());
    }
    return switch (at.phase()) {
      case PREPARE_VOLUME -> Optional.of(CrashPoint.P7);
      case LOOK_STAGED -> Optional.of(CrashPoint.P10);
      case PREPARE_USE -> Optional.of(CrashPoint.P12);
      case LOOK_PUBLISHED -> Optional.of(CrashPoint.P15);
      case REMOVE_USE -> Optional.of(CrashPoint.U4);
      case REMOVE_VOLUME -> Optional.of(CrashPoint.U8);
      case FORGET -> Optional.of(CrashPoint.U9);
      default -> Optional.empty();
    };
  }

  /** The moment before a call. */
  static CrashPoint before(Verb verb) {
    return switch (verb) {
      case STAGE -> CrashPoint.P8;
      case PUBLISH -> CrashPoint.P13;
      case UNPUBLISH -> CrashPoint.U2;
      case UNSTAGE -> CrashPoint.U6;
    };
  }

  /** The moment after its answer. */
  static CrashPoint after(Verb verb) {
    return switch (verb) {
      case STAGE -> CrashPoint.P9;
      case PUBLISH -> CrashPoint.P14;
      case UNPUBLISH -> CrashPoint.U3;
      case UNSTAGE -> CrashPoint.U7;
    };
  }
}
