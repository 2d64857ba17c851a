/**
 * Reads and writes the messages that {@code wire.proto} defines. Start at {@link
 * io.csi4j.volume.internal.wire.Envelopes}. The modules convert their values with {@link
 * io.csi4j.volume.internal.wire.WireParts}.
 */
@NullMarked
package io.csi4j.volume.internal.wire;

import org.jspecify.annotations.NullMarked;
