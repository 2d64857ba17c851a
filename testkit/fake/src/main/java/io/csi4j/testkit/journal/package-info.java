/**
 * The calls that a test plugin received, in order, and their results.
 *
 * <p>Start with {@link io.csi4j.testkit.journal.CallJournal}. All values in this package are
 * immutable snapshots. Requests are {@link io.csi4j.testkit.journal.WireMessage}s, whose fields are
 * read by their names in the spec, because no typed value can represent an invalid request.
 */
@NullMarked
package io.csi4j.testkit.journal;

import org.jspecify.annotations.NullMarked;
