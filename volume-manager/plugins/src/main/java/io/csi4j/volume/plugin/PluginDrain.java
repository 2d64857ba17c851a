package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A plugin that is about to be stopped: no more workloads can mount volumes with it, mounted
 * volumes stay until they are released, and releases go on. The drain lasts until it is closed,
 * even if the instances of the plugin change meanwhile; it does not outlive this process.
 *
 * @since 1.0
 */
public interface PluginDrain extends AutoCloseable {

  /** Returns the plugin. */
  PluginId plugin();

  /**
   * Returns a stage that completes when no volume of the plugin is left on this node, when the
   * limit is over, or when the drain is closed. It never completes with an exception.
   */
  CompletionStage<Outcome> outcome();

  /** Returns the present uses of the plugin's volumes, in order. */
  List<VolumeUse> holders();

  /** Allows mounts again, unless another caller drains the plugin, too. */
  @Override
  void close();

  /** The result of a drain. */
  sealed interface Outcome {

    /** No volume of the plugin is left: it can be stopped. */
    record Free() implements Outcome {}

    /**
     * The limit is over, and volumes are left. No new ones are mounted until the drain is closed.
     *
     * @param holders the uses of the volumes; empty if only cleanup is pending
     * @param message the message for an operator
     */
    record InUse(List<VolumeUse> holders, OperatorMessage message) implements Outcome {

      /** Copies the list. */
      public InUse {
        holders = List.copyOf(holders);
      }
    }

    /** The drain was closed before one of the others. */
    record Cancelled() implements Outcome {}
  }
}
