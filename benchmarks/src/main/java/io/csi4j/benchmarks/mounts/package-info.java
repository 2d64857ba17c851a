/** What seeing and changing mounts costs, beside a C program that makes the same system calls. */
@NullMarked
package io.csi4j.benchmarks.mounts;

import org.jspecify.annotations.NullMarked;
