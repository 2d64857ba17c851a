/**
 * Creates and removes directories safely: never through a link, and never with contents. Start at
 * {@link io.csi4j.volume.internal.path.CarefulDisk}, which reports a problem as a {@link
 * io.csi4j.volume.internal.path.PathProblem}. {@link io.csi4j.volume.internal.path.StateCodes} has
 * the codes for a state store that cannot be used, and {@link
 * io.csi4j.volume.internal.path.PathView} the path of a directory as a plugin sees it.
 */
@NullMarked
package io.csi4j.volume.internal.path;

import org.jspecify.annotations.NullMarked;
