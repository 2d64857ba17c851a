/** The implementation of the journal, and access to messages by field names. */
@NullMarked
package io.csi4j.testkit.internal.journal;

import org.jspecify.annotations.NullMarked;
