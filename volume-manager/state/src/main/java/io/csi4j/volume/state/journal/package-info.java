/**
 * The store for production use: {@link io.csi4j.volume.state.journal.JournalStateStore}, a journal
 * in a directory; and {@link io.csi4j.volume.state.journal.JournalView}, which reads one without
 * opening it. The page state.md describes its contents, and how an operator handles a damaged
 * journal.
 */
@NullMarked
package io.csi4j.volume.state.journal;

import org.jspecify.annotations.NullMarked;
