/** The list whose elements are made late, for tables that are long and seldom read whole. */
@NullMarked
package io.csi4j.mount.internal.list;

import org.jspecify.annotations.NullMarked;
