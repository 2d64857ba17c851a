/** Measures the costs that a proxy between a caller and a plugin adds to a call. */
@NullMarked
package io.csi4j.benchmarks.proxy;

import org.jspecify.annotations.NullMarked;
