package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A caller who waits until a role of a plugin is served by an instance that is ready. */
final class Waiter {

  final PluginId plugin;
  final PluginRole role;
  final Duration limit;
  final CompletableFuture<RegisteredPlugin> end = new CompletableFuture<>();

  /** Under the lock of those who wait. */
  Scheduler.@Nullable Timer timer;

  Waiter(PluginId plugin, PluginRole role, Duration limit) {
    this.plugin = plugin;
    this.role = role;
    this.limit = limit;
  }

  /** Returns the instance that is waited for, if it is there. */
  Optional<RegisteredPlugin> found(Roster roster) {
    return roster
        .serving(plugin, role)
        .filter(member -> member.health().isReady())
        .map(Member::known);
  }
}
