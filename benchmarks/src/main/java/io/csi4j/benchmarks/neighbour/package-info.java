/**
 * What the volumes of other plugins notice of a plugin that hangs. Start at {@link
 * io.csi4j.benchmarks.neighbour.NeighbourFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.neighbour;

import org.jspecify.annotations.NullMarked;
