/**
 * The journal behind {@code JournalStateStore}. Start at {@link
 * io.csi4j.volume.internal.journal.Journal}, which decides where a write goes.
 *
 * <p>{@code Entry} is the format of a record, {@code Header} of the first one; {@code SegmentScan}
 * reads a file of them and finds what is damaged, {@code Replay} makes the state of it; both are
 * pure. {@code SegmentFiles} writes, {@code Compaction} writes the state to a new segment in steps,
 * {@code Ownership} keeps other owners away. All of it goes through {@link
 * io.csi4j.volume.internal.disk.Disk}.
 */
@NullMarked
package io.csi4j.volume.internal.journal;

import org.jspecify.annotations.NullMarked;
