/**
 * Checks of the characters and lengths of names, and the words for access modes. Knows no other
 * package of the volume manager.
 */
@NullMarked
package io.csi4j.volume.internal.words;

import org.jspecify.annotations.NullMarked;
