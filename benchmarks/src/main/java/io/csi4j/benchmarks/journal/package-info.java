/**
 * Measures the costs of the state on disk: a single append, many concurrent appends, a compaction,
 * and the bytes written for a mount. Start at {@link io.csi4j.benchmarks.journal.JournalFamily}.
 */
@NullMarked
package io.csi4j.benchmarks.journal;

import org.jspecify.annotations.NullMarked;
