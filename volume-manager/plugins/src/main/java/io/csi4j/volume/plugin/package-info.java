/**
 * The plugins of a host, which start, fail, restart and end. Start at {@link
 * io.csi4j.volume.plugin.PluginRegistry}, which contains every running instance of every plugin,
 * and at {@link io.csi4j.volume.plugin.PluginConfig}, which describes a plugin.
 *
 * <p>The package {@code plugin.supervision} determines the health of plugins, {@code plugin.launch}
 * starts plugins, and {@code plugin.registration} handles the announcements of registrar sidecars.
 * These packages make no calls for volumes. Values are immutable; listeners are called while no
 * lock is held.
 */
@NullMarked
package io.csi4j.volume.plugin;

import org.jspecify.annotations.NullMarked;
