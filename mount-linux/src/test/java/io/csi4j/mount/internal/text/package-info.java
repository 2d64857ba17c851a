/** Tests of text and bytes. */
@NullMarked
package io.csi4j.mount.internal.text;

import org.jspecify.annotations.NullMarked;
