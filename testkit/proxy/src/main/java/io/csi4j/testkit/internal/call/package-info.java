/** Calls to a plugin whose request and answers are JSON by the names of the spec. */
@NullMarked
package io.csi4j.testkit.internal.call;

import org.jspecify.annotations.NullMarked;
