/**
 * The values that all modules of the volume manager share: names ({@link
 * io.csi4j.volume.model.VolumeKey}, {@link io.csi4j.volume.model.WorkloadId}, {@link
 * io.csi4j.volume.model.VolumeUse}, {@link io.csi4j.volume.model.PluginId}), the volume that is
 * asked for ({@link io.csi4j.volume.model.VolumeSpec}) and the volume that there is ({@link
 * io.csi4j.volume.model.CatalogVolume}), the messages for operators ({@link
 * io.csi4j.volume.model.OperatorCode}, {@link io.csi4j.volume.model.OperatorMessage}, {@link
 * io.csi4j.volume.model.VolumeException}), how a plugin is bound ({@link
 * io.csi4j.volume.model.PluginBinding}), and what passes between a node and the claims of a cluster
 * ({@link io.csi4j.volume.model.ClaimGrant}, {@link io.csi4j.volume.model.NodeReceipt}).
 *
 * <p>Nothing here acts: mounting belongs to the module {@code node}, deciding about claims to
 * {@code claims}. Values do not change and may be shared by many threads.
 */
@NullMarked
package io.csi4j.volume.model;

import org.jspecify.annotations.NullMarked;
