/**
 * The needs of the engine: the kernel's mounts, plugins, claims, and named points at which a test
 * may kill it. (Time is in {@code internal.time}, files are {@link
 * io.csi4j.volume.internal.disk.Disk}'s.) Production binds the real ones, the simulator seeded
 * ones; nothing reaches around them.
 */
@NullMarked
package io.csi4j.volume.internal.port;

import org.jspecify.annotations.NullMarked;
