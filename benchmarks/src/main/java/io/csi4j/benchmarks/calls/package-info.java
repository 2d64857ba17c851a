/**
 * The costs of a call compared with those of gRPC itself: the same calls through {@code CsiPlugin}
 * and through the bare generated stubs, on the same channel to the same plugin, and through a Go
 * client where there is one. Start at {@link CallsFamily}; {@link MeasureCalls} is the program that
 * measures.
 */
@NullMarked
package io.csi4j.benchmarks.calls;

import org.jspecify.annotations.NullMarked;
