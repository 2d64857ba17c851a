/**
 * Plugins that come, fail, restart and go: what is known of them. Start at {@link
 * io.csi4j.volume.plugin.PluginRegistry}, which knows every running instance of every plugin, and
 * at {@link io.csi4j.volume.plugin.PluginConfig}, which describes one.
 *
 * <p>Finding out how a plugin is: {@code plugin.supervision}. Starting one: {@code plugin.launch}.
 * Taking announcements of registrar sidecars: {@code plugin.registration}. Volumes and calls for
 * them do not belong here. Values do not change; listeners are called under no lock.
 */
@NullMarked
package io.csi4j.volume.plugin;

import org.jspecify.annotations.NullMarked;
