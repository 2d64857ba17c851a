package io.csi4j.volume.manager;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.plugin.PluginDrain;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The engine's drain for a host, whose actions run on a thread of their own. */
final class HostDrain implements PluginDrain {

  private final PluginDrain drain;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

  HostDrain(PluginDrain drain, Executor callbacks) {
    this.drain = drain;
    drain.outcome().thenAcceptAsync(outcome::complete, callbacks);
  }

  @Override
  public PluginId plugin() {
    return drain.plugin();
  }

  @Override
  public CompletionStage<Outcome> outcome() {
    return outcome;
  }

  @Override
  public List<UsageKey> holders() {
    return drain.holders();
  }

  @Override
  public void close() {
    drain.close();
  }
}
