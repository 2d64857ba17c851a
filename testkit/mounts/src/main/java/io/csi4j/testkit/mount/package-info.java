/**
 * Mounts without a kernel: a host in memory, for tests of an orchestrator on any operating system
 * and without privileges. The entry is {@link io.csi4j.testkit.mount.MemoryKernel}.
 *
 * <p>It behaves as Linux does; common tests compare it with the real kernel. It has no clock and no
 * randomness: the same calls in the same order have the same results. Tests that need the real
 * kernel's own behaviour, such as races in a path, do not belong here.
 */
@NullMarked
package io.csi4j.testkit.mount;

import org.jspecify.annotations.NullMarked;
