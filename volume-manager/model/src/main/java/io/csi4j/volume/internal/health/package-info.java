/**
 * Records of the faults of volumes and storage that plugins reported, and of the changes of these
 * faults. This package calls no plugins and starts no threads.
 */
@NullMarked
package io.csi4j.volume.internal.health;

import org.jspecify.annotations.NullMarked;
