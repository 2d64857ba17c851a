/**
 * What many volumes cost that are mounted and left alone: their heap, finding them again after a
 * start, a host that tells what it wants when nothing is to do, and listing them. Start at {@link
 * io.csi4j.benchmarks.many.ManyFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.many;

import org.jspecify.annotations.NullMarked;
