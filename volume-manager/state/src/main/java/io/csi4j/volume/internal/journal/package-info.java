/**
 * The implementation of {@code JournalStateStore}. Start at {@link
 * io.csi4j.volume.internal.journal.Journal}, which decides where a write goes.
 *
 * <p>{@code Entry} is the format of a record, {@code Header} that of the first one; {@code
 * SegmentScan} parses a file of records and finds damage, and {@code Replay} builds the state from
 * that; both are pure. {@code SegmentFiles} writes, {@code Compaction} writes the state to a new
 * segment in steps, {@code Ownership} excludes other owners. All access to files goes through
 * {@link io.csi4j.volume.internal.disk.Disk}.
 */
@NullMarked
package io.csi4j.volume.internal.journal;

import org.jspecify.annotations.NullMarked;
