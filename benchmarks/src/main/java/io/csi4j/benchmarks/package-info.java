/**
 * The common code of all families of benchmarks: the figures of two sides of one run, and the
 * report. Each family is a subpackage with a {@code main} method, which the script {@code
 * benchmarks/run} starts.
 */
@NullMarked
package io.csi4j.benchmarks;

import org.jspecify.annotations.NullMarked;
