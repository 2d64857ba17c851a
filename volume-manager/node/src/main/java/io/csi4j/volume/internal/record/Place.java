package io.csi4j.volume.internal.record;

/**
 * The boot and the mount namespace of an observation. Mounts in another place prove nothing about
 * this one.
 *
 * @param boot the boot
 * @param mountNamespace a number that no other mount namespace of this boot has, as far as the
 *     kernel can tell; 0 if it is not known
 */
public record Place(String boot, long mountNamespace) {}
