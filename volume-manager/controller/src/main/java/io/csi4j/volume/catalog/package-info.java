/**
 * The records of volumes and what is shown of them: a volume that is there, or is being made, grown
 * or deleted, and the lists of volumes and plugins. Start at {@link
 * io.csi4j.volume.catalog.CatalogEntry}; the volume itself is a {@link
 * io.csi4j.volume.model.CatalogVolume}, which also a node knows. {@link
 * io.csi4j.volume.catalog.NodeEntry} is a node as the same store has it.
 *
 * <p>Nothing here calls a plugin: that is {@code io.csi4j.volume.controller}'s. Who may use a
 * volume is in {@code io.csi4j.volume.claim}. Values do not change and may be shared by many
 * threads.
 */
@NullMarked
package io.csi4j.volume.catalog;

import org.jspecify.annotations.NullMarked;
