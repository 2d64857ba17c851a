/**
 * Reads mounts: the kernel's table, as text and with its newer calls, and single paths. Start with
 * {@code KernelTable}. Parsing is separate from reading and accepts any input.
 */
@NullMarked
package io.csi4j.mount.internal.table;

import org.jspecify.annotations.NullMarked;
