/** Reads JSON. Does not depend on CSI. */
@NullMarked
package io.csi4j.testkit.internal.json;

import org.jspecify.annotations.NullMarked;
