/**
 * Creates the messages that operators read. Start at {@link
 * io.csi4j.volume.internal.text.Messages}. Foreign text passes through {@link
 * io.csi4j.volume.internal.text.ForeignText}; secrets are never passed to this package.
 */
@NullMarked
package io.csi4j.volume.internal.text;

import org.jspecify.annotations.NullMarked;
