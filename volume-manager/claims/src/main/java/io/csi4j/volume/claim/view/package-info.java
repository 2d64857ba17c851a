/**
 * Claims for display: {@link io.csi4j.volume.claim.view.ClaimsView} shows those on the disk of this
 * host, or in any store, and changes nothing.
 */
@NullMarked
package io.csi4j.volume.claim.view;

import org.jspecify.annotations.NullMarked;
