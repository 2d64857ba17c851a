/**
 * What is remembered of a volume: values only, and their form on disk. Begin with {@link
 * io.csi4j.volume.internal.record.VolumeRecord}. No decision is made here.
 */
@NullMarked
package io.csi4j.volume.internal.record;

import org.jspecify.annotations.NullMarked;
