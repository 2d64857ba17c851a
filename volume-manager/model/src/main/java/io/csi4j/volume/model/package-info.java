/**
 * The values that all modules of the volume manager share: names ({@link
 * io.csi4j.volume.model.VolumeKey}, {@link io.csi4j.volume.model.WorkloadId}, {@link
 * io.csi4j.volume.model.VolumeUse}, {@link io.csi4j.volume.model.PluginId}), the requested volume
 * ({@link io.csi4j.volume.model.VolumeSpec}) and the existing volume ({@link
 * io.csi4j.volume.model.CatalogVolume}), the messages for operators ({@link
 * io.csi4j.volume.model.OperatorCode}, {@link io.csi4j.volume.model.OperatorMessage}, {@link
 * io.csi4j.volume.model.VolumeException}), the configuration of a plugin ({@link
 * io.csi4j.volume.model.PluginBinding}), and the values exchanged between a node and the claims of
 * a cluster ({@link io.csi4j.volume.model.ClaimGrant}, {@link io.csi4j.volume.model.NodeReceipt}).
 *
 * <p>The types of this package only hold values: the module {@code node} mounts volumes, and the
 * module {@code claims} grants and releases claims. Values are immutable and may be shared between
 * threads.
 */
@NullMarked
package io.csi4j.volume.model;

import org.jspecify.annotations.NullMarked;
