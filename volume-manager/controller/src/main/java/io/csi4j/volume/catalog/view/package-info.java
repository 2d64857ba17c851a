/**
 * The catalog as a person reads it: {@link io.csi4j.volume.catalog.view.VolumesView} shows the
 * volumes in any store, and changes nothing. What decides about volumes asks the {@code
 * VolumeController} instead.
 */
@NullMarked
package io.csi4j.volume.catalog.view;

import org.jspecify.annotations.NullMarked;
