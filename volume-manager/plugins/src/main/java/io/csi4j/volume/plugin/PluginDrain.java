package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A plugin that is about to be stopped: no volume is mounted with it for one more workload, what is
 * mounted stays until it is given back, and giving back goes on. So until this is closed, even if
 * its instances change meanwhile; nothing of it outlives this process.
 *
 * @since 1.0
 */
public interface PluginDrain extends AutoCloseable {

  /** The plugin. */
  PluginId plugin();

  /**
   * How it ends: when no volume of the plugin is left on this node, when the limit is over, or when
   * it is closed. Never with an exception.
   */
  CompletionStage<Outcome> outcome();

  /** Returns the uses of the plugin's volumes now, in order. */
  List<VolumeUse> holders();

  /** Lets volumes be mounted again, unless another caller drains the plugin, too. */
  @Override
  void close();

  /** How draining can end. */
  sealed interface Outcome {

    /** No volume of the plugin is left: it can be stopped. */
    record Free() implements Outcome {}

    /**
     * The limit is over, and volumes are left. No new ones are mounted until the drain is closed.
     *
     * @param holders who uses them; empty when only something of them is left to be cleaned up
     * @param message what an operator is told
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
