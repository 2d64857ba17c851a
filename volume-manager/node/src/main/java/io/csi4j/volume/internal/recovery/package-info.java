/**
 * What a start makes of three witnesses: what was remembered, whose paths there are, what is
 * mounted. Pure decisions.
 */
@NullMarked
package io.csi4j.volume.internal.recovery;

import org.jspecify.annotations.NullMarked;
