package io.csi4j.volume.internal.lifecycle;

/**
 * A step whose answer an operation waits for.
 *
 * @param moment where in its story the operation is
 * @param step the step
 * @param <E> the answer
 */
public record Awaited<E extends Event>(Moment<E> moment, Step<E> step) {

  /** The operation with its next step, now that this is the answer. */
  public Turn answered(Turn turn, E event, Situation now) {
    return moment.next().after(turn.quiet(), event, now);
  }
}
