package io.csi4j.mount.model;

/**
 * A mount that is as it was asked for.
 *
 * @param ref the reference to it
 * @param created whether this call made it; false if it was there already
 * @since 1.0
 */
public record MountResult(MountRef ref, boolean created) {}
