/** How calls are recorded: the journal behind its public face, and messages seen field by field. */
@NullMarked
package io.csi4j.testkit.internal.journal;

import org.jspecify.annotations.NullMarked;
