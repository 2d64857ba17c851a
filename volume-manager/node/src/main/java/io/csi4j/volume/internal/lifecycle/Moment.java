package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.port.CrashPoint;
import java.util.Optional;

/**
 * One moment of a story: an operation waits for the answer to a step. The moments of a story are
 * constants, listed in its order at the top of its file.
 *
 * @param name its name, for developers
 * @param doing what is being done meanwhile, as a phrase for people
 * @param isForth whether the volume is on its way to a workload, rather than back
 * @param reached the point that the operation has reached with the answer, where it has a name
 * @param next what follows the answer
 * @param <E> the answer
 */
public record Moment<E extends Event>(
    String name, String doing, boolean isForth, Optional<CrashPoint> reached, Next<E> next) {

  /** The moment before the first step and after the last one. */
  static final Moment<Event> NONE =
      new Moment<>(
          "NONE",
          "beginning",
          false,
          Optional.empty(),
          (turn, event, now) -> {
            throw new IllegalStateException("The operation has ended: " + event);
          });

  /**
   * Decides what follows an answer.
   *
   * @param <E> the answer
   */
  @FunctionalInterface
  public interface Next<E extends Event> {

    /** The operation with its next step. */
    Turn after(Turn turn, E event, Situation now);
  }

  /** A moment of the way to a workload. */
  static <E extends Event> Moment<E> forth(String name, String doing, Next<E> next) {
    return new Moment<>(name, doing, true, Optional.empty(), next);
  }

  /** A moment of the way back. */
  static <E extends Event> Moment<E> back(String name, String doing, Next<E> next) {
    return new Moment<>(name, doing, false, Optional.empty(), next);
  }

  /** Returns this moment, whose answer reaches this point. */
  Moment<E> reaching(CrashPoint point) {
    return new Moment<>(name, doing, isForth, Optional.of(point), next);
  }

  @Override
  public String toString() {
    return name;
  }
}
