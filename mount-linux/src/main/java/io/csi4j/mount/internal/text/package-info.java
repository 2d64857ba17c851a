/** Text for people and for files: escaped bytes, and references as one line. */
@NullMarked
package io.csi4j.mount.internal.text;

import org.jspecify.annotations.NullMarked;
