/**
 * Measures the costs of many idle mounted volumes: their heap, finding them after a start, a
 * reconciliation that changes nothing, and listing them. Start at {@link
 * io.csi4j.benchmarks.many.ManyFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.many;

import org.jspecify.annotations.NullMarked;
