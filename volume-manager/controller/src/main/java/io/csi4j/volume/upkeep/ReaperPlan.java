package io.csi4j.volume.upkeep;

import java.util.List;

/**
 * The plan of a reaper, with a reason for each item; nothing of it is done yet.
 *
 * @param items one for each thing
 * @since 1.0
 */
public record ReaperPlan(List<Leftover> items) {

  /** Copies the list. */
  public ReaperPlan {
    items = List.copyOf(items);
  }
}
