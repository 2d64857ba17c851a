/**
 * The changes of mounts: walking to a path, binding, mounting, unmounting, giving files to a user
 * or group, and the pool on which the calls that may block are made. Start with {@code
 * MountOperations}.
 */
@NullMarked
package io.csi4j.mount.internal.change;

import org.jspecify.annotations.NullMarked;
