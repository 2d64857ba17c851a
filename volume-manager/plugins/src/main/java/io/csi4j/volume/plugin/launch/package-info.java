/**
 * Starts plugins. {@link io.csi4j.volume.plugin.launch.PluginLaunchPlan} says what has to be there
 * before, {@link io.csi4j.volume.plugin.launch.ProcessPluginLauncher} keeps a plain process
 * running, {@link io.csi4j.volume.plugin.launch.PropagationCheck} tells whether the mounts of a
 * plugin can be seen. What a plugin answers does not belong here.
 */
@NullMarked
package io.csi4j.volume.plugin.launch;

import org.jspecify.annotations.NullMarked;
