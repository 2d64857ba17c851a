/** Tests of being told of changes of the mounts. */
@NullMarked
package io.csi4j.mount.internal.watch;

import org.jspecify.annotations.NullMarked;
