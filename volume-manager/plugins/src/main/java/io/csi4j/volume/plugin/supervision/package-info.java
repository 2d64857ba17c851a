/**
 * Watches plugins: waits for a socket, asks how the plugin is and what it can do, and registers it.
 * Start at {@link io.csi4j.volume.plugin.supervision.PluginSupervisor}; a registry without a volume
 * manager is {@link io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry}.
 */
@NullMarked
package io.csi4j.volume.plugin.supervision;

import org.jspecify.annotations.NullMarked;
