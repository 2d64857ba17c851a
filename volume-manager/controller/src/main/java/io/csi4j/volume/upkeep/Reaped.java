package io.csi4j.volume.upkeep;

import io.csi4j.volume.model.OperatorMessage;
import java.util.Objects;

/**
 * The end of one item of a plan.
 *
 * @param item the item
 * @param end how it ended
 * @param because the reason, or the work done: one line for people
 * @since 1.0
 */
public record Reaped(Leftover item, End end, OperatorMessage.Part because) {

  /** How it ended. */
  public enum End {
    /** The item is gone, or on its way as far as it could be brought. */
    DONE,
    /** The item was otherwise by then than the plan says, and left alone. */
    STALE,
    /** The item could not be given back; the next plan has it again. */
    FAILED
  }

  /** Checks that all parts are there. */
  public Reaped {
    Objects.requireNonNull(item, "item");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(because, "because");
  }
}
