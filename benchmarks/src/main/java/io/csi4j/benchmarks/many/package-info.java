/**
 * The costs of many idle mounted volumes: their heap, finding them again after a start, a
 * reconciliation without work, and listing them. Start at {@link
 * io.csi4j.benchmarks.many.ManyFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.many;

import org.jspecify.annotations.NullMarked;
