/**
 * The interfaces through which the engine accesses the outside world: the kernel's mounts, plugins,
 * claims, and named points at which a test may kill the process. (Time is in {@code internal.time},
 * files are in {@link io.csi4j.volume.internal.disk.Disk}.) Production uses the real
 * implementations, and the simulator uses seeded ones. No code of the engine bypasses these
 * interfaces.
 */
@NullMarked
package io.csi4j.volume.internal.port;

import org.jspecify.annotations.NullMarked;
