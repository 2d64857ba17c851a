/**
 * Plugins that come, fail, restart and go. Start at {@link io.csi4j.volume.plugin.PluginRegistry},
 * which knows every running instance of every plugin, and at {@link
 * io.csi4j.volume.plugin.PluginSupervisor}, which finds out how one of them is.
 *
 * <p>How a plugin is started is a {@link io.csi4j.volume.plugin.PluginLaunchPlan} for whoever
 * starts it; {@link io.csi4j.volume.plugin.ProcessPluginLauncher} starts plain processes. Stock
 * registrar sidecars announce plugins through {@link io.csi4j.volume.plugin.RegistrationWatch}.
 * Volumes and calls for them do not belong here. Everything here is safe for many threads, values
 * do not change, and listeners are called under no lock.
 */
@NullMarked
package io.csi4j.volume.plugin;

import org.jspecify.annotations.NullMarked;
