/**
 * What happens next to a volume: pure functions without input or output. Begin with {@code
 * Lifecycle}. Who performs the steps is the engine's business.
 */
@NullMarked
package io.csi4j.volume.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
