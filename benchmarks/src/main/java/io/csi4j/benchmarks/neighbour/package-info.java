/**
 * Measures the effect of a hanging plugin on the volumes of other plugins. Start at {@link
 * io.csi4j.benchmarks.neighbour.NeighbourFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.neighbour;

import org.jspecify.annotations.NullMarked;
