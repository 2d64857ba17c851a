/**
 * The lifecycle decides the next step of an operation. It consists of pure functions, without input
 * or output. The entry type is {@code MountStory}. Package engine performs the steps.
 */
@NullMarked
package io.csi4j.volume.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
