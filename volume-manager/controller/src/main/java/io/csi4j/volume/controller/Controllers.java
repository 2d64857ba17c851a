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
 * The controllers of plugins. Calls go to a ready instance: the one used last, if it is still
 * ready. Returned futures fail with a {@link ControllerException}; the methods that return them do
 * not block.
 */
interface Controllers {

  /**
   * Makes a call when its turn comes. Cancelling the future before the call is sent removes the
   * call from the queue; after that it only ends the wait, and the call keeps its turn until it
   * ends.
   */
  <T> CompletableFuture<T> call(ControllerCall<T> call);

  /** Makes a call and waits for its answer, on a thread that may block. */
  default <T> T answer(ControllerCall<T> call) {
    return ended(call(call));
  }

  /** Returns the capabilities of the plugin, as reported on the current connection. */
  CompletableFuture<ControllerFacts> facts(PluginId plugin, Subject subject);

  /** Waits for the capabilities of the plugin, on a thread that may block. */
  default ControllerFacts abilities(PluginId plugin, Subject subject) {
    return ended(facts(plugin, subject));
  }

  /** Whether volumes of the plugin are attached to nodes; false if it has no controller. */
  CompletableFuture<Boolean> attaches(PluginId plugin, Subject subject);

  /** Returns the secrets for a call, from the host. */
  CompletableFuture<Secrets> secrets(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Subject subject);

  /** Returns the plugin of a ready instance, for queries that do not wait in a queue. */
  CompletableFuture<CsiPlugin> connected(PluginId plugin, Subject subject);

  /**
   * Waits for the end of a step, and returns its result.
   *
   * @throws ControllerException if the step failed
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
