/**
 * Changes of mounts: walking to a path, binding, mounting, unmounting, changing the owner of files,
 * and the pool for calls that may block. Start with {@code MountOperations}.
 */
@NullMarked
package io.csi4j.mount.internal.change;

import org.jspecify.annotations.NullMarked;
