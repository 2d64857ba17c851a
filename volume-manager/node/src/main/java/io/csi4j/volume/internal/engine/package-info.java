/**
 * Performs the steps that the lifecycle names, one operation of a volume at a time, through the
 * ports. Start at {@code VolumeEngine}. Decisions belong to the lifecycle, not to this package.
 */
@NullMarked
package io.csi4j.volume.internal.engine;

import org.jspecify.annotations.NullMarked;
