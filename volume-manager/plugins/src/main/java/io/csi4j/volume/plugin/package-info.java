/**
 * Plugins that start, fail, restart and end. Start at {@link
 * io.csi4j.volume.plugin.PluginRegistry}, which knows every running instance of every plugin, and
 * at {@link io.csi4j.volume.plugin.PluginConfig}, which describes one.
 *
 * <p>Package {@code plugin.supervision} determines the health of a plugin, {@code plugin.launch}
 * starts one, and {@code plugin.registration} handles the announcements of registrar sidecars.
 * Volumes and calls for them do not belong here. Values are immutable; listeners are called without
 * a lock.
 */
@NullMarked
package io.csi4j.volume.plugin;

import org.jspecify.annotations.NullMarked;
