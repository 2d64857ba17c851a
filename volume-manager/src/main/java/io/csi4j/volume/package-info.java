/**
 * Volumes for workloads: the front door. {@link io.csi4j.volume.VolumeManager} mounts and unmounts,
 * remembers who uses what, and finds it again after a crash; {@link io.csi4j.volume.MountRequest}
 * says what is wanted.
 *
 * <p>What is remembered on disk is in {@link io.csi4j.volume.state}; talking to a plugin is
 * csi-client's, the kernel's mounts are mount-linux's. Everything here is safe for many threads,
 * values do not change.
 */
@NullMarked
package io.csi4j.volume;

import org.jspecify.annotations.NullMarked;
