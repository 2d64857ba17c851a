/**
 * The room for volumes as workloads use them. It holds no type in this version.
 *
 * <p>Here belong mounting and unmounting a volume for a workload, what is mounted and who uses it,
 * its durable state and its recovery after a restart. Plugins, usage, workloads, claims and state
 * have packages of their own below this one. How a plugin is called belongs to {@code
 * io.csi4j.client}, how the kernel mounts to {@code io.csi4j.mount}; gRPC is unknown here.
 */
@NullMarked
package io.csi4j.volume;

import org.jspecify.annotations.NullMarked;
