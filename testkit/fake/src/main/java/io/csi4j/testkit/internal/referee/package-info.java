/** The rules of the referee: one small class per kind of duty, each a fold over the journal. */
@NullMarked
package io.csi4j.testkit.internal.referee;

import org.jspecify.annotations.NullMarked;
