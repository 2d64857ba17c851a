/**
 * Decides the next step of an operation with pure functions, without input or output. Start at
 * {@code MountStory}. The engine performs the steps.
 */
@NullMarked
package io.csi4j.volume.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
