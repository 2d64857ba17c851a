package io.csi4j.volume.internal.record;

/**
 * The boot and the mount namespace in which mounts were observed. Mounts in one boot and namespace
 * prove nothing about mounts in another.
 *
 * @param boot the identifier of the boot
 * @param mountNamespace a number that identifies the mount namespace during this boot, as far as
 *     the kernel allows; 0 if it is not known
 */
public record Place(String boot, long mountNamespace) {}
