package io.csi4j.volume.internal.disk;

/**
 * The identity, size and modification time of a file or directory. If they differ from earlier
 * ones, the file was replaced or written. If they are equal, it may still have changed: a
 * filesystem reuses inode numbers, and two writes within one tick of its clock have the same time.
 *
 * @param identity the device and the inode number
 * @param size the size in bytes
 * @param modified the time of the last change of its bytes, in nanoseconds of an unspecified clock
 */
public record FileLook(Object identity, long size, long modified) {}
