/**
 * Asks a plugin how it is and what it can do. Start at {@link
 * io.csi4j.volume.internal.probe.CsiProber}. What follows from the answers is decided by
 * supervision.
 */
@NullMarked
package io.csi4j.volume.internal.probe;

import org.jspecify.annotations.NullMarked;
