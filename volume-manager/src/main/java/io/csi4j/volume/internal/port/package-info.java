/**
 * What the engine needs of the world: time, threads, the kernel's mounts, plugins, named points at
 * which a test may kill it. (Files are {@link io.csi4j.volume.internal.disk.Disk}'s.) Production
 * binds the real ones, the simulator seeded ones; nothing reaches around them.
 */
@NullMarked
package io.csi4j.volume.internal.port;

import org.jspecify.annotations.NullMarked;
