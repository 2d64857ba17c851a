/** A reader for JSON texts. This package does not depend on CSI. */
@NullMarked
package io.csi4j.testkit.internal.json;

import org.jspecify.annotations.NullMarked;
