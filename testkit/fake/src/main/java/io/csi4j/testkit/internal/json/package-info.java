/** JSON, as it is read. Knows nothing of CSI. */
@NullMarked
package io.csi4j.testkit.internal.json;

import org.jspecify.annotations.NullMarked;
