package io.csi4j.mount.model;

/**
 * A mount as requested.
 *
 * @param ref the reference to it
 * @param created whether this call made it; false if it existed before
 * @since 1.0
 */
public record MountResult(MountRef ref, boolean created) {}
