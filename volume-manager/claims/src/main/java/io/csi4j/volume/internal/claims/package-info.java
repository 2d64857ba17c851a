/**
 * The form of a claim on disk and in etcd, and the turns of writers of one key. Start at {@link
 * io.csi4j.volume.internal.claims.ClaimCodec}.
 */
@NullMarked
package io.csi4j.volume.internal.claims;

import org.jspecify.annotations.NullMarked;
