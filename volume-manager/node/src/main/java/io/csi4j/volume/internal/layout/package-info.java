/**
 * Where everything of a volume lies below the root, whose it is, and how its directories are made
 * and removed. Start at {@link io.csi4j.volume.internal.layout.VolumeLayout}.
 */
@NullMarked
package io.csi4j.volume.internal.layout;

import org.jspecify.annotations.NullMarked;
