/**
 * The record of a volume: values, and their form on disk. Start at {@link
 * io.csi4j.volume.internal.record.VolumeRecord}. No decision is made here.
 */
@NullMarked
package io.csi4j.volume.internal.record;

import org.jspecify.annotations.NullMarked;
