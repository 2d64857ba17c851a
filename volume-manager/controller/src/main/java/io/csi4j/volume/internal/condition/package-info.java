/**
 * The health of volumes, as a plugin's controller tells it before CSI 1.13. Start at {@link
 * io.csi4j.volume.internal.condition.Conditions}. Has no state and makes no call.
 */
@NullMarked
package io.csi4j.volume.internal.condition;

import org.jspecify.annotations.NullMarked;
