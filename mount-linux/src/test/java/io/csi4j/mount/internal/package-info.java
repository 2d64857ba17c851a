/** Tests of how the module is put together. */
@NullMarked
package io.csi4j.mount.internal;

import org.jspecify.annotations.NullMarked;
