/**
 * The paths and directories of volumes below the root: their names, the volumes that they belong
 * to, and how they are created and removed. The entry type is {@link
 * io.csi4j.volume.internal.layout.VolumeLayout}.
 */
@NullMarked
package io.csi4j.volume.internal.layout;

import org.jspecify.annotations.NullMarked;
