/**
 * State sealed with a key of the host: {@link io.csi4j.volume.state.seal.SealedStateStore} seals
 * every value of another store, with a {@link io.csi4j.volume.state.seal.Sealer} of the host or
 * with {@link io.csi4j.volume.state.seal.AesGcmSealer}. The page state.md lists the data that is in
 * clear text without a sealer.
 */
@NullMarked
package io.csi4j.volume.state.seal;

import org.jspecify.annotations.NullMarked;
