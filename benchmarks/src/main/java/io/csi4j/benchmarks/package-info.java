/**
 * What is common to all families of benchmarks: figures of two sides of one run, and the report of
 * them. Each family is a package below, with a {@code main} that {@code benchmarks/run} starts.
 */
@NullMarked
package io.csi4j.benchmarks;

import org.jspecify.annotations.NullMarked;
