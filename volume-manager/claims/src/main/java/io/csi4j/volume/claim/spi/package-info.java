/**
 * The storage system as claims use it: {@link io.csi4j.volume.claim.spi.StorageController} and its
 * values, for authors of one. {@code VolumeController}, in csi4j-volume-controller, is the one for
 * CSI plugins.
 */
@NullMarked
package io.csi4j.volume.claim.spi;

import org.jspecify.annotations.NullMarked;
