/**
 * What was told of the health of volumes and of storage, what of it is news, and when to ask again.
 * Knows of no plugin and has no thread.
 */
@NullMarked
package io.csi4j.volume.internal.health;

import org.jspecify.annotations.NullMarked;
