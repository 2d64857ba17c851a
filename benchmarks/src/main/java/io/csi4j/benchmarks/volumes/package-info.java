/**
 * What many volumes cost that are mounted and left alone, and what finding them again after a start
 * costs: {@code MakeVolumes} mounts them, {@code AdoptVolumes} is the start after it.
 */
@NullMarked
package io.csi4j.benchmarks.volumes;

import org.jspecify.annotations.NullMarked;
