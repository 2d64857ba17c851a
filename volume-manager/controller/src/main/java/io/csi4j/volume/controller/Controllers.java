package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The controllers of plugins. Whichever instance is ready is called, and the same one as before if
 * it still is. What comes back as a future fails with a {@link ControllerException}, and does not
 * block.
 */
interface Controllers {

  /**
   * Makes a call when it is its turn. Cancelling what comes back before it is sent takes it out of
   * the line; after that it ends the waiting only, and the call keeps its turn until its end.
   */
  <T> CompletableFuture<T> call(ControllerCall<T> call);

  /** Makes a call and waits for its answer, on a thread that is there for it. */
  default <T> T answer(ControllerCall<T> call) {
    return ended(call(call));
  }

  /** Returns the abilities of the plugin, as it said on the present connection. */
  CompletableFuture<ControllerFacts> facts(PluginId plugin, Subject subject);

  /** Waits for the abilities of the plugin, on a thread that is there for it. */
  default ControllerFacts abilities(PluginId plugin, Subject subject) {
    return ended(facts(plugin, subject));
  }

  /** Whether volumes of the plugin are attached to nodes: none are if it has no controller. */
  CompletableFuture<Boolean> attaches(PluginId plugin, Subject subject);

  /** The secrets for a call, from the host. */
  CompletableFuture<Secrets> secrets(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Subject subject);

  /** The plugin behind an instance that is ready, for questions that wait for nothing. */
  CompletableFuture<CsiPlugin> connected(PluginId plugin, Subject subject);

  /**
   * Waits for the end of a step, and returns its result.
   *
   * @throws ControllerException if it failed
   */
  static <T> T ended(CompletableFuture<T> step) {
    try {
      return step.join();
    } catch (CompletionException failed) {
      if (Unwrapped.of(failed) instanceof ControllerException known) {
        throw known;
      }
      throw failed;
    }
  }
}
