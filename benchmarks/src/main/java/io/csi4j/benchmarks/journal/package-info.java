/**
 * The costs of the state on disk: an append, many at once, a compaction, the bytes of a mount.
 * Start at {@link io.csi4j.benchmarks.journal.JournalFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.journal;

import org.jspecify.annotations.NullMarked;
