/**
 * Recovery at a start: combines records, directories and mounts. The code is pure: it has no side
 * effects.
 */
@NullMarked
package io.csi4j.volume.internal.recovery;

import org.jspecify.annotations.NullMarked;
