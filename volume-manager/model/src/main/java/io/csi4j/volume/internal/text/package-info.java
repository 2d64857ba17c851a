/**
 * Makes the messages that operators read. Start at {@link io.csi4j.volume.internal.text.Messages}.
 * Foreign text passes through {@link io.csi4j.volume.internal.text.ForeignText}; no secret comes in
 * here.
 */
@NullMarked
package io.csi4j.volume.internal.text;

import org.jspecify.annotations.NullMarked;
