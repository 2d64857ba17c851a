package io.csi4j.volume.internal.disk;

/**
 * How a file or directory looks from outside. If it differs from an earlier look, somebody replaced
 * it or wrote into it. If it is equal, that is not certain: a filesystem gives out numbers of files
 * again, and two writes within one tick of its clock have the same time.
 *
 * @param identity the device and the number of the file
 * @param size its bytes
 * @param modified when its bytes were last changed, in nanoseconds of no particular clock
 */
public record FileLook(Object identity, long size, long modified) {}
