/**
 * Starts plugins. {@link io.csi4j.volume.plugin.launch.PluginLaunchPlan} lists the requirements for
 * a start, {@link io.csi4j.volume.plugin.launch.ProcessPluginLauncher} keeps a plugin running as a
 * plain process, and {@link io.csi4j.volume.plugin.launch.PropagationCheck} checks whether the
 * mounts of a plugin are visible on the host. This package makes no calls to plugins.
 */
@NullMarked
package io.csi4j.volume.plugin.launch;

import org.jspecify.annotations.NullMarked;
