/**
 * The faults that were told of volumes and of storage, the news among them, and the time to ask
 * again. Calls no plugin and has no thread.
 */
@NullMarked
package io.csi4j.volume.internal.health;

import org.jspecify.annotations.NullMarked;
