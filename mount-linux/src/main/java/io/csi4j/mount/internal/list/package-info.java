/** A list that creates its elements late, for long tables that are rarely read completely. */
@NullMarked
package io.csi4j.mount.internal.list;

import org.jspecify.annotations.NullMarked;
