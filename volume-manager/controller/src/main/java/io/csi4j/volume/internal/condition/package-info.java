/**
 * The health of volumes, as a plugin's controller tells it before CSI 1.13. Start at {@link
 * io.csi4j.volume.internal.condition.Conditions}. Keeps nothing and calls nobody.
 */
@NullMarked
package io.csi4j.volume.internal.condition;

import org.jspecify.annotations.NullMarked;
