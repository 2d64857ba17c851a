/**
 * The interface between claims and a storage system: {@link
 * io.csi4j.volume.claim.spi.StorageController} and its values. This package is for authors of an
 * implementation. The module csi4j-volume-controller contains {@code VolumeController}, which is
 * the implementation for CSI plugins.
 */
@NullMarked
package io.csi4j.volume.claim.spi;

import org.jspecify.annotations.NullMarked;
