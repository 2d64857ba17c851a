package io.csi4j.volume.node;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The plan that brings this node to what a host wants; nothing of it is done yet.
 *
 * @param items one for each thing that is not as wanted
 * @since 1.0
 */
public record CleanupPlan(List<Item> items) {

  /** Copies the list. */
  public CleanupPlan {
    items = List.copyOf(items);
  }

  /** The action for one thing. */
  public enum Action {
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
   * One thing.
   *
   * @param action what is to be done
   * @param plugin the plugin, where it is known
   * @param usage the use, if it is about one
   * @param path where
   * @param reason why: one line for people
   */
  public record Item(
      Action action,
      Optional<PluginId> plugin,
      Optional<VolumeUse> usage,
      Path path,
      OperatorMessage.Part reason) {}
}
