/** Escaped text for people, and searches in bytes. Independent of mounts. */
@NullMarked
package io.csi4j.mount.internal.text;

import org.jspecify.annotations.NullMarked;
