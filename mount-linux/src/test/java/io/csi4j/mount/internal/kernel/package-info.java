/** Tests of the port to the kernel. */
@NullMarked
package io.csi4j.mount.internal.kernel;

import org.jspecify.annotations.NullMarked;
