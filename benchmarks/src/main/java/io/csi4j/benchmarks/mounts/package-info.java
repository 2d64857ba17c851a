/**
 * Measures the costs of reading and changing mounts, compared with a C program that makes the same
 * system calls.
 */
@NullMarked
package io.csi4j.benchmarks.mounts;

import org.jspecify.annotations.NullMarked;
