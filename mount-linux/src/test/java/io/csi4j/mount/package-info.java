/** Tests of the entry points, and the kernel that all tests run on. */
@NullMarked
package io.csi4j.mount;

import org.jspecify.annotations.NullMarked;
