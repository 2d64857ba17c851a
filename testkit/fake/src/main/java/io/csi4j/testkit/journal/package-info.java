/**
 * The calls that a test plugin received, in order, and their results.
 *
 * <p>Start with {@link io.csi4j.testkit.journal.CallJournal}. All values in this package are
 * immutable snapshots. Requests are {@link io.csi4j.testkit.journal.WireMessage}s, read field by
 * field under the names of the spec, because an invalid request does not fit a typed value.
 */
@NullMarked
package io.csi4j.testkit.journal;

import org.jspecify.annotations.NullMarked;
