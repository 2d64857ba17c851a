/**
 * The calls that a test plugin got, in order, and what became of them.
 *
 * <p>Start with {@link io.csi4j.testkit.journal.CallJournal}. All values here are immutable
 * snapshots. Requests are seen as {@link io.csi4j.testkit.journal.WireMessage}s, field by field
 * under the names of the spec, because a lawless request fits no type.
 */
@NullMarked
package io.csi4j.testkit.journal;

import org.jspecify.annotations.NullMarked;
