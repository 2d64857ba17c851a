package io.csi4j.volume.node;

import java.util.concurrent.CompletionStage;

/** The work that a reconciliation has begun. */
public interface Reconciliation {

  /** What was decided, item by item. */
  CleanupPlan plan();

  /** How many items were not finished the first time that was tried, or not tried yet. */
  int remaining();

  /**
   * Ends when every item was done, or failed and was left to the background. Cancelling it ends the
   * waiting and nothing else.
   */
  CompletionStage<Summary> done();

  /**
   * How it went.
   *
   * @param mounted how many uses were made again
   * @param released how many things were given up
   * @param failed how many were left to the background, or to the host
   */
  record Summary(int mounted, int released, int failed) {}
}
