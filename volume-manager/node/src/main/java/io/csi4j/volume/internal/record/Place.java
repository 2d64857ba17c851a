package io.csi4j.volume.internal.record;

/**
 * The boot and the mount namespace in which something was seen. What was mounted in another place
 * says nothing about this one.
 *
 * @param boot the boot
 * @param mountNamespace a number that no other mount namespace of this boot has, as far as the
 *     kernel can tell; 0 when it is not known
 */
public record Place(String boot, long mountNamespace) {}
