/**
 * The words of the volume manager: what operators are told. Begin with {@link
 * io.csi4j.volume.internal.text.Messages}. No secret comes in here.
 */
@NullMarked
package io.csi4j.volume.internal.text;

import org.jspecify.annotations.NullMarked;
