package io.csi4j.volume.node;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A running reconciliation.
 *
 * @since 1.0
 */
public interface Reconciliation {

  /** Returns the decisions: one for each use or mount that differs from what is wanted. */
  List<Item> plan();

  /** Returns the number of items whose first attempt did not succeed or has not happened yet. */
  int remaining();

  /**
   * Returns a stage that completes when every item has succeeded, or has failed and was left to the
   * background. Cancelling the stage ends the waiting only.
   */
  CompletionStage<Summary> done();

  /**
   * The result of a reconciliation.
   *
   * @param mounted the number of uses that were mounted again
   * @param released the number of items that were released
   * @param failed the number of items that were left to the background, or to the host
   * @param left the items that were left: as many as failed
   */
  record Summary(int mounted, int released, int failed, List<Left> left) {

    /** Copies the list. */
    public Summary {
      left = List.copyOf(left);
    }
  }

  /**
   * An item whose first attempt did not succeed.
   *
   * @param item the item
   * @param why the reason; empty if the item was left alone for the reason that the item states
   * @param goesOn whether the manager tries again without another request. It tries a wanted use
   *     until the use is mounted, is unmounted, or is requested separately
   */
  record Left(Item item, Optional<OperatorMessage> why, boolean goesOn) {}

  /** The action for one item. */
  enum Action {
    /** Mount the use again. */
    MOUNT,
    /** Release the use: unpublish it, and unstage the volume after its last use. */
    RELEASE,
    /** Leave the use alone: it is wanted, and the host must request it again. */
    WAIT_FOR_HOST,
    /** Leave the mount alone: it is not of this manager, or not known to be. */
    LEAVE
  }

  /**
   * The decision about one use or mount that differs from what is wanted.
   *
   * @param action the action
   * @param plugin the plugin, if it is known
   * @param usage the use, if the item is about one
   * @param path the path on this host
   * @param reason the reason: one line for people
   */
  record Item(
      Action action,
      Optional<PluginId> plugin,
      Optional<VolumeUse> usage,
      Path path,
      OperatorMessage.Part reason) {}
}
