/**
 * Reading and writing of the messages of {@code wire.proto}: start at {@link
 * io.csi4j.volume.internal.wire.Envelopes}. Each module maps its values with {@link
 * io.csi4j.volume.internal.wire.WireParts}.
 */
@NullMarked
package io.csi4j.volume.internal.wire;

import org.jspecify.annotations.NullMarked;
