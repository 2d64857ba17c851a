/**
 * Asks a plugin for its health and its capabilities. Start at {@link
 * io.csi4j.volume.internal.probe.CsiProber}. The supervision acts on the answers.
 */
@NullMarked
package io.csi4j.volume.internal.probe;

import org.jspecify.annotations.NullMarked;
