/**
 * Creates the messages that operators read. Start at {@link
 * io.csi4j.volume.internal.text.Messages}. Text of unknown origin is escaped by {@link
 * io.csi4j.volume.internal.text.ForeignText}. Callers never pass secrets to this package.
 */
@NullMarked
package io.csi4j.volume.internal.text;

import org.jspecify.annotations.NullMarked;
