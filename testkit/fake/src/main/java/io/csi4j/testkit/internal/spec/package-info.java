/** Facts about the spec that both the fake plugins and the referee use. */
@NullMarked
package io.csi4j.testkit.internal.spec;

import org.jspecify.annotations.NullMarked;
