/**
 * Measures the first call of a host that has just started: the time from the start of its JVM to
 * the first answered Probe, compared with a program that uses only gRPC. {@link StartFamily} runs
 * {@link OurStart} and {@link BareStart} repeatedly.
 */
@NullMarked
package io.csi4j.benchmarks.start;

import org.jspecify.annotations.NullMarked;
