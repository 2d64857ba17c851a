/**
 * The faults that plugins reported of volumes and of storage, and the news among them. Calls no
 * plugin and has no thread.
 */
@NullMarked
package io.csi4j.volume.internal.health;

import org.jspecify.annotations.NullMarked;
