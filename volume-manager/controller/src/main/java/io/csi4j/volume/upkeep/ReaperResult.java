package io.csi4j.volume.upkeep;

import io.csi4j.volume.model.OperatorMessage;
import java.util.Objects;

/**
 * The result of one item of the plan of a {@link Reaper}.
 *
 * @param item the item
 * @param end how it ended
 * @param because the reason, or the work done: one line for people
 * @since 1.0
 */
public record ReaperResult(Leftover item, End end, OperatorMessage.Part because) {

  /** How it ended. */
  public enum End {
    /** The item is gone, or its release has begun and waits for another party. */
    DONE,
    /** The item had changed since the plan was made, and was left alone. */
    STALE,
    /** The item could not be released; the next plan contains it again. */
    FAILED
  }

  /** Checks that all parts are there. */
  public ReaperResult {
    Objects.requireNonNull(item, "item");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(because, "because");
  }
}
