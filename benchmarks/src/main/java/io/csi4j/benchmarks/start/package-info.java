/**
 * The costs of the first call of a host that has just started: from the start of its JVM to the
 * first answered Probe, beside a program that does the same with gRPC alone. {@link StartFamily}
 * runs {@link OurStart} and {@link BareStart}, again and again.
 */
@NullMarked
package io.csi4j.benchmarks.start;

import org.jspecify.annotations.NullMarked;
