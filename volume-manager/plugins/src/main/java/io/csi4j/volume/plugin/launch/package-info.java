/**
 * Starts plugins. {@link io.csi4j.volume.plugin.launch.PluginLaunchPlan} lists what a start needs,
 * {@link io.csi4j.volume.plugin.launch.ProcessPluginLauncher} keeps a plain process running, {@link
 * io.csi4j.volume.plugin.launch.PropagationCheck} checks whether the mounts of a plugin are
 * visible. Answers of a plugin do not belong here.
 */
@NullMarked
package io.csi4j.volume.plugin.launch;

import org.jspecify.annotations.NullMarked;
