/**
 * Volumes in a directory of the host, mounted for real: their bytes, their mounts, and the file
 * with the plugin's state. The entry is {@link io.csi4j.testkit.internal.hostpath.HostPathStorage}.
 * The backend above this storage implements the rules of the spec. Every class may be used
 * concurrently for different volumes.
 */
@NullMarked
package io.csi4j.testkit.internal.hostpath;

import org.jspecify.annotations.NullMarked;
