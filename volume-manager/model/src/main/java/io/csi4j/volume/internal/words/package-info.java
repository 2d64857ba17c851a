/**
 * Checks of the characters and lengths of names, the words for access modes, and what is wrong with
 * words that were read. Knows no other package of the volume manager.
 */
@NullMarked
package io.csi4j.volume.internal.words;

import org.jspecify.annotations.NullMarked;
