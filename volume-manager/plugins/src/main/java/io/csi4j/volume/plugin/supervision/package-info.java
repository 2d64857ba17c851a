/**
 * Supervises plugins: waits for the socket of a plugin, asks for its health and its capabilities,
 * and registers the plugin. Start at {@link io.csi4j.volume.plugin.supervision.PluginSupervisor};
 * {@link io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry} is a registry without a volume
 * manager.
 */
@NullMarked
package io.csi4j.volume.plugin.supervision;

import org.jspecify.annotations.NullMarked;
