/**
 * The record of a volume, as values, and its encoding on disk. The entry type is {@link
 * io.csi4j.volume.internal.record.VolumeRecord}. Decisions about volumes do not belong here.
 */
@NullMarked
package io.csi4j.volume.internal.record;

import org.jspecify.annotations.NullMarked;
