package io.csi4j.volume.upkeep;

import java.util.List;

/**
 * What a reaper would give back, with a reason for each; nothing of it is done yet.
 *
 * @param items one for each thing
 */
public record ReaperPlan(List<Leftover> items) {

  /** Copies the list. */
  public ReaperPlan {
    items = List.copyOf(items);
  }
}
