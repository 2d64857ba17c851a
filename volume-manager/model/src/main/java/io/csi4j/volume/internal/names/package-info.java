/**
 * Checks of names and durations, the names of access modes, and a collector of violations. This
 * package depends on no other package of the volume manager.
 */
@NullMarked
package io.csi4j.volume.internal.names;

import org.jspecify.annotations.NullMarked;
