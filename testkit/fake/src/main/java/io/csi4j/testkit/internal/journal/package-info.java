/** Records calls: the implementation of the journal, and access to messages field by field. */
@NullMarked
package io.csi4j.testkit.internal.journal;

import org.jspecify.annotations.NullMarked;
