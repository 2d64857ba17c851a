/**
 * What the state on disk costs: an append, many at once, a compaction, a mount's bytes. Start at
 * {@link io.csi4j.benchmarks.journal.JournalFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.journal;

import org.jspecify.annotations.NullMarked;
