/** Combines the three sources of a start: records, directories and mounts. Pure decisions. */
@NullMarked
package io.csi4j.volume.internal.recovery;

import org.jspecify.annotations.NullMarked;
