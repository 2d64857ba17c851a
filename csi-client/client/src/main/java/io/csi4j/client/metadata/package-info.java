/**
 * Which blocks a snapshot holds, or which changed between two: streams of ranges.
 *
 * <p>Start at {@link io.csi4j.client.metadata.SnapshotMetadataService}. What other services use too
 * lives in {@code io.csi4j.client.model}. Results are made by the client alone, and later releases
 * may give them more methods. All values here are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.metadata;

import org.jspecify.annotations.NullMarked;
