/**
 * Ranking of the nodes on which a volume can be used, in the order in which a host should try them.
 * A host passes its nodes as values; start at {@link io.csi4j.volume.placement.Placement}. Nothing
 * in this package creates, claims or mounts a volume.
 */
@NullMarked
package io.csi4j.volume.placement;

import org.jspecify.annotations.NullMarked;
