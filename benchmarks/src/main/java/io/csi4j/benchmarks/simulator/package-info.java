/**
 * The speed at which the seeded simulator plays histories of the volume manager's engine. Start at
 * {@link io.csi4j.benchmarks.simulator.SimulatorFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.simulator;

import org.jspecify.annotations.NullMarked;
