/** Who keeps a mount in use. Start with {@code HolderSearch}. */
@NullMarked
package io.csi4j.mount.internal.holders;

import org.jspecify.annotations.NullMarked;
