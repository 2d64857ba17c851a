/**
 * Measures the costs of a call compared with gRPC itself. The same calls are made through {@code
 * CsiPlugin} and through the bare generated stubs, on the same channel to the same plugin, and
 * through a Go client if it is available. Start at {@link CallsFamily}; {@link MeasureCalls} is the
 * program that measures.
 */
@NullMarked
package io.csi4j.benchmarks.calls;

import org.jspecify.annotations.NullMarked;
