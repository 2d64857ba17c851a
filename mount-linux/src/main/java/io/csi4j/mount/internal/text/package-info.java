/** Text for people and for files: escaped bytes, references as one line, bytes found in it. */
@NullMarked
package io.csi4j.mount.internal.text;

import org.jspecify.annotations.NullMarked;
