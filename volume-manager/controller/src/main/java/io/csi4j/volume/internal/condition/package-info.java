/**
 * The health of volumes, as controllers report it before CSI 1.13. Start at {@link
 * io.csi4j.volume.internal.condition.Conditions}. Stateless; makes no calls.
 */
@NullMarked
package io.csi4j.volume.internal.condition;

import org.jspecify.annotations.NullMarked;
