/**
 * Checks of names and durations, text about access modes, and explanations of invalid text. This
 * package depends on no other package of the volume manager.
 */
@NullMarked
package io.csi4j.volume.internal.names;

import org.jspecify.annotations.NullMarked;
