/**
 * A read-only view of the catalog for people: {@link io.csi4j.volume.catalog.view.VolumesView}
 * shows the volumes in any store, and changes nothing. Code that decides about volumes uses the
 * {@code VolumeController} instead.
 */
@NullMarked
package io.csi4j.volume.catalog.view;

import org.jspecify.annotations.NullMarked;
