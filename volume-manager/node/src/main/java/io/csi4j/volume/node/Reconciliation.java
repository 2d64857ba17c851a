package io.csi4j.volume.node;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The work that a reconciliation has begun.
 *
 * @since 1.0
 */
public interface Reconciliation {

  /** Returns the decisions: one for each thing that is not as wanted. */
  List<Item> plan();

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
   * @param left those that were left: as many as failed
   */
  record Summary(int mounted, int released, int failed, List<Left> left) {

    /** Copies the list. */
    public Summary {
      left = List.copyOf(left);
    }
  }

  /**
   * Something that was not done when it was tried first.
   *
   * @param item what was to be done
   * @param why why it was not; nothing if it was left alone for the reason that the item gives
   * @param goesOn whether it is tried again without being asked: a wanted use until it is mounted,
   *     unmounted, or asked for by a request of its own
   */
  record Left(Item item, Optional<OperatorMessage> why, boolean goesOn) {}

  /** The action for one thing. */
  enum Action {
    /** Make it again. */
    MOUNT,
    /** Give it up: unpublish, and unstage after the last. */
    RELEASE,
    /** Leave it alone: it is wanted, and the host has to ask for it again. */
    WAIT_FOR_HOST,
    /** Leave it alone: it is not ours, or not known to be. */
    LEAVE
  }

  /**
   * The decision about one thing that is not as wanted.
   *
   * @param action what is done about it
   * @param plugin the plugin, where it is known
   * @param usage the use, if it is about one
   * @param path where
   * @param reason why: one line for people
   */
  record Item(
      Action action,
      Optional<PluginId> plugin,
      Optional<VolumeUse> usage,
      Path path,
      OperatorMessage.Part reason) {}
}
