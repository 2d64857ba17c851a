/**
 * Directories that are created and removed with care: never through a link, never with contents.
 * Start at {@link io.csi4j.volume.internal.path.CarefulDisk}; an obstacle is a {@link
 * io.csi4j.volume.internal.path.PathProblem}. {@link io.csi4j.volume.internal.path.StateCodes} has
 * the codes for a state that cannot be used, and {@link io.csi4j.volume.internal.path.PathView} the
 * path of a directory as a plugin sees it.
 */
@NullMarked
package io.csi4j.volume.internal.path;

import org.jspecify.annotations.NullMarked;
