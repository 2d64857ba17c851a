/**
 * The mounts: reading the kernel's table, as text and by its newer calls, and looking at single
 * paths. Start with {@code KernelTable}. Parsing is apart from reading and survives any input.
 */
@NullMarked
package io.csi4j.mount.internal.table;

import org.jspecify.annotations.NullMarked;
