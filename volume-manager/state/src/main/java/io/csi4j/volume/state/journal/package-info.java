/**
 * The store to use: {@link io.csi4j.volume.state.journal.JournalStateStore}, a journal in a
 * directory; and {@link io.csi4j.volume.state.journal.JournalView}, which reads one without opening
 * it. What it keeps and what an operator does with a damaged one is on the page state.md.
 */
@NullMarked
package io.csi4j.volume.state.journal;

import org.jspecify.annotations.NullMarked;
