/**
 * What a storage system is asked to do with volumes, from any host. Start at {@link
 * io.csi4j.volume.controller.VolumeController}; what may be left behind when it did not do
 * something, {@link io.csi4j.volume.controller.ControllerException} says.
 *
 * <p>What volumes are stands in {@code io.csi4j.volume.catalog}; who may use them is decided in
 * {@code io.csi4j.volume.claim}; making them appear on a node is {@link
 * io.csi4j.volume.VolumeManager}'s. Everything here is safe for many threads, values do not change.
 */
@NullMarked
package io.csi4j.volume.controller;

import org.jspecify.annotations.NullMarked;
