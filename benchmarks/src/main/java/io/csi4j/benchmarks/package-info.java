/**
 * The common parts of all families of benchmarks: figures of two sides of one run, and their
 * report. Each family is a package below, with a {@code main} that {@code benchmarks/run} starts.
 */
@NullMarked
package io.csi4j.benchmarks;

import org.jspecify.annotations.NullMarked;
