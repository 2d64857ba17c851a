/** Tests of the values that everybody sees. */
@NullMarked
package io.csi4j.mount.model;

import org.jspecify.annotations.NullMarked;
