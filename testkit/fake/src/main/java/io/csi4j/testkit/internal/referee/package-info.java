/**
 * The rules of the referee: one small class for each kind of duty, each a fold over the journal.
 */
@NullMarked
package io.csi4j.testkit.internal.referee;

import org.jspecify.annotations.NullMarked;
