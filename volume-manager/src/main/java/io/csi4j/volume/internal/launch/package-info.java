/**
 * How plugins are started: what has to be there before, processes that are kept running, and
 * whether their mounts can be seen. Start at {@code ProcessKeeper} and {@code LaunchDirectories}.
 * What a plugin answers does not belong here.
 */
@NullMarked
package io.csi4j.volume.internal.launch;

import org.jspecify.annotations.NullMarked;
