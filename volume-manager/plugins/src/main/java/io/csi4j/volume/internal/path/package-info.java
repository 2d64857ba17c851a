/**
 * Directories made and removed with care: never through a link, never with contents. Start at
 * {@link io.csi4j.volume.internal.path.CarefulDisk}; what can be in the way is a {@link
 * io.csi4j.volume.internal.path.PathProblem}. The codes of what keeps a state from being used are
 * in {@link io.csi4j.volume.internal.path.StateCodes}.
 */
@NullMarked
package io.csi4j.volume.internal.path;

import org.jspecify.annotations.NullMarked;
