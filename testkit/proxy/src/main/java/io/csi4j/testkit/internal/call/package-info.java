/** Calls to a plugin with requests and answers as JSON, under the names of the spec. */
@NullMarked
package io.csi4j.testkit.internal.call;

import org.jspecify.annotations.NullMarked;
