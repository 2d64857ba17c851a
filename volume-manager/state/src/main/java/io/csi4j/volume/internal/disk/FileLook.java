package io.csi4j.volume.internal.disk;

/**
 * How a file or directory looks from outside: equal to an earlier look as long as nobody replaced
 * it or wrote into it.
 *
 * @param identity equal for the same file only
 * @param size its bytes
 * @param modified when its bytes were last changed, in nanoseconds of no particular clock
 */
public record FileLook(Object identity, long size, long modified) {}
