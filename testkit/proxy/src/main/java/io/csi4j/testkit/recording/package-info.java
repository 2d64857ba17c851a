/**
 * Recorded calls. Start with {@link io.csi4j.testkit.recording.Recording}: a file of calls, which a
 * {@code CallReplay} plays against a plugin and a {@code RecordedPlugin} answers from. All types of
 * this package are immutable.
 */
@NullMarked
package io.csi4j.testkit.recording;

import org.jspecify.annotations.NullMarked;
