/**
 * Ports of the engine: the kernel's mounts, plugins, claims, and named points at which a test may
 * kill it. (Time is in {@code internal.time}, files are in {@link
 * io.csi4j.volume.internal.disk.Disk}.) Production uses the real adapters, the simulator seeded
 * ones; no code bypasses the ports.
 */
@NullMarked
package io.csi4j.volume.internal.port;

import org.jspecify.annotations.NullMarked;
