/**
 * Performs the steps that the lifecycle names, one operation of a volume at a time, through the
 * ports. Start at {@code VolumeEngine}. Decides nothing that the lifecycle can decide.
 */
@NullMarked
package io.csi4j.volume.internal.engine;

import org.jspecify.annotations.NullMarked;
