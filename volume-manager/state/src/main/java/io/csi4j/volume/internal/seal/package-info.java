/**
 * The form of sealed values. {@link io.csi4j.volume.internal.seal.SealedBytes} marks sealed bytes;
 * hosts provide a {@link io.csi4j.volume.state.seal.Sealer}.
 */
@NullMarked
package io.csi4j.volume.internal.seal;

import org.jspecify.annotations.NullMarked;
