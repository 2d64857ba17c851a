/**
 * Supervises plugins: waits for a socket, asks for the health and the capabilities of the plugin,
 * and registers it. Start at {@link io.csi4j.volume.plugin.supervision.PluginSupervisor}; {@link
 * io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry} is a registry without a volume
 * manager.
 */
@NullMarked
package io.csi4j.volume.plugin.supervision;

import org.jspecify.annotations.NullMarked;
