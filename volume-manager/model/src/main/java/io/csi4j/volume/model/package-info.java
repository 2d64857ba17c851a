/**
 * The values that all modules of the volume manager share. Names are {@link
 * io.csi4j.volume.model.VolumeKey}, {@link io.csi4j.volume.model.WorkloadId}, {@link
 * io.csi4j.volume.model.VolumeUse} and {@link io.csi4j.volume.model.PluginId}. {@link
 * io.csi4j.volume.model.VolumeSpec} describes a requested volume, and {@link
 * io.csi4j.volume.model.CatalogVolume} an existing volume. {@link
 * io.csi4j.volume.model.OperatorMessage} is a message for operators with an {@link
 * io.csi4j.volume.model.OperatorCode}; {@link io.csi4j.volume.model.VolumeException} contains such
 * a message. {@link io.csi4j.volume.model.PluginBinding} is the configuration of a plugin. Nodes
 * and the claims of a cluster exchange {@link io.csi4j.volume.model.ClaimGrant} and {@link
 * io.csi4j.volume.model.NodeReceipt}.
 *
 * <p>The types of this package only hold values: the module {@code node} mounts volumes, and the
 * module {@code claims} grants and releases claims. Values are immutable and may be shared between
 * threads.
 */
@NullMarked
package io.csi4j.volume.model;

import org.jspecify.annotations.NullMarked;
