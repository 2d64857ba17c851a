/**
 * Volumes in a directory of the host that are really mounted: their bytes, their mounts, and the
 * file that keeps what the plugin knows. The entry is {@link
 * io.csi4j.testkit.internal.hostpath.HostPathStorage}. The rules of the spec are not here but in
 * the backend above. Every class is safe for calls about different volumes at the same time.
 */
@NullMarked
package io.csi4j.testkit.internal.hostpath;

import org.jspecify.annotations.NullMarked;
