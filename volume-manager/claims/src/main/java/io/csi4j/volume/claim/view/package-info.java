/**
 * Reads claims for display. Start at {@link io.csi4j.volume.claim.view.ClaimsView}, which reads
 * claims from the disk of this host or from any store, and changes nothing.
 */
@NullMarked
package io.csi4j.volume.claim.view;

import org.jspecify.annotations.NullMarked;
