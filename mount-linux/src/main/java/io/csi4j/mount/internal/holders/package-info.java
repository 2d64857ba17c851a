/** The holders of a mount. Start with {@code HolderSearch}. */
@NullMarked
package io.csi4j.mount.internal.holders;

import org.jspecify.annotations.NullMarked;
