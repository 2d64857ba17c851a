/**
 * Paths and directories of a volume below the root: where they are, to which volume they belong,
 * and how they are created and removed. Start at {@link
 * io.csi4j.volume.internal.layout.VolumeLayout}.
 */
@NullMarked
package io.csi4j.volume.internal.layout;

import org.jspecify.annotations.NullMarked;
