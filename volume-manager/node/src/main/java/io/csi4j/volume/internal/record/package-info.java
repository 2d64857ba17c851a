/**
 * Record of a volume: values, and their encoding on disk. Start at {@link
 * io.csi4j.volume.internal.record.VolumeRecord}. Decisions do not belong here.
 */
@NullMarked
package io.csi4j.volume.internal.record;

import org.jspecify.annotations.NullMarked;
