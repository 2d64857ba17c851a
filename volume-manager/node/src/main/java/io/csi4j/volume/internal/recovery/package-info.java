/**
 * The conclusions of a start from three witnesses: the records, the directories, the mounts. Pure
 * decisions.
 */
@NullMarked
package io.csi4j.volume.internal.recovery;

import org.jspecify.annotations.NullMarked;
