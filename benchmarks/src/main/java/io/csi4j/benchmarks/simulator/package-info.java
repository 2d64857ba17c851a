/**
 * Measures the speed at which the seeded simulator runs histories of the volume manager's engine.
 * Start at {@link io.csi4j.benchmarks.simulator.SimulatorFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.simulator;

import org.jspecify.annotations.NullMarked;
