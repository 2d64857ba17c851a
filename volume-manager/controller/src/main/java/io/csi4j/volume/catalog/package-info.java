/**
 * The records of volumes and the views of them: a volume that exists, or is being created, expanded
 * or deleted, and the lists of volumes and plugins. Start at {@link
 * io.csi4j.volume.catalog.CatalogEntry}; the volume itself is a {@link
 * io.csi4j.volume.model.CatalogVolume}, which nodes use, too. {@link
 * io.csi4j.volume.catalog.NodeEntry} is the record of a node in the same store.
 *
 * <p>Nothing in this package calls a plugin: {@code io.csi4j.volume.controller} does. Claims, which
 * decide who may use a volume, are in {@code io.csi4j.volume.claim}. Values are immutable and may
 * be shared between threads.
 */
@NullMarked
package io.csi4j.volume.catalog;

import org.jspecify.annotations.NullMarked;
