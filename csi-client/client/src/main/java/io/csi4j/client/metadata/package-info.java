/**
 * The snapshot metadata service. It streams the block ranges that a snapshot contains, or that
 * differ between two snapshots.
 *
 * <p>Start at {@link io.csi4j.client.metadata.SnapshotMetadataService}. Types shared with other
 * services are in {@code io.csi4j.client.model}. Only the client creates results, so later releases
 * may add methods to the result types. All values here are immutable and safe to share between
 * threads.
 */
@NullMarked
package io.csi4j.client.metadata;

import org.jspecify.annotations.NullMarked;
