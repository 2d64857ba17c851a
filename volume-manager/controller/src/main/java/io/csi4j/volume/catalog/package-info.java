/**
 * The volumes of a storage system as a host knows them: what was asked for, what there is, and what
 * is shown of it. Start at {@link io.csi4j.volume.catalog.CatalogVolume} and at {@link
 * io.csi4j.volume.catalog.VolumeSpec}, from which one is made.
 *
 * <p>Nothing here calls a plugin: that is {@code io.csi4j.volume.controller}'s. Who may use a
 * volume stands in {@code io.csi4j.volume.claim}. Values do not change and may be shared by many
 * threads; how safe a store is, it says itself.
 */
@NullMarked
package io.csi4j.volume.catalog;

import org.jspecify.annotations.NullMarked;
