/** Tests of reading the table of mounts. */
@NullMarked
package io.csi4j.mount.internal.table;

import org.jspecify.annotations.NullMarked;
