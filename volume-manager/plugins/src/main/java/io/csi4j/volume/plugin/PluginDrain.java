package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The drain of a plugin that will be stopped. During the drain, workloads cannot mount volumes with
 * the plugin; mounted volumes stay until they are released, and releases continue. The drain lasts
 * until it is closed, even if the instances of the plugin change meanwhile. It ends with this
 * process at the latest.
 *
 * @since 1.0
 */
public interface PluginDrain extends AutoCloseable {

  /** Returns the plugin. */
  PluginId plugin();

  /**
   * Returns a stage that completes when no volume of the plugin is left on this node, when the time
   * limit is over, or when the drain is closed. The stage never completes with an exception.
   */
  CompletionStage<Outcome> outcome();

  /** Returns the current uses of the plugin's volumes, in order. */
  List<VolumeUse> holders();

  /** Ends the drain. Mounts are allowed again, unless another caller also drains the plugin. */
  @Override
  void close();

  /** The result of a drain. */
  sealed interface Outcome {

    /** No volume of the plugin is left on this node, so the plugin can be stopped. */
    record Free() implements Outcome {}

    /**
     * The time limit is over, and volumes are left. No volume of the plugin can be mounted until
     * the drain is closed.
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

    /** The drain was closed before another outcome. */
    record Cancelled() implements Outcome {}
  }
}
