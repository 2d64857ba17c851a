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

  /** Returns one decision for each use or mount that differs from the host's list. */
  List<Item> plan();

  /** Returns the number of items whose first attempt did not succeed or has not happened yet. */
  int remaining();

  /**
   * Returns a stage that completes when each item has either succeeded, or failed and was left to
   * background work or to the host. Cancelling the stage cancels only the waiting.
   */
  CompletionStage<Summary> done();

  /**
   * The result of a reconciliation.
   *
   * @param mounted the number of uses that the manager mounted again
   * @param released the number of items that the manager released
   * @param failed the number of items that the manager left to background work or to the host
   * @param left the items that {@code failed} counts
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
   * @param why why the attempt failed; empty if the manager left the item alone, in which case the
   *     item itself states the reason
   * @param goesOn whether the manager tries again without another request. The manager retries a
   *     wanted use until the use is mounted, is unmounted, or is requested separately
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
    /** Leave the mount alone: it does not belong to this manager, or that is not known. */
    LEAVE
  }

  /**
   * The decision about one use or mount that differs from the host's list.
   *
   * @param action the action
   * @param plugin the plugin, if it is known
   * @param usage the use, if the item concerns a use
   * @param path the path on this host
   * @param reason the reason, as one line for people
   */
  record Item(
      Action action,
      Optional<PluginId> plugin,
      Optional<VolumeUse> usage,
      Path path,
      OperatorMessage.Part reason) {}
}
