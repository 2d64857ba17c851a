/** Facts of the spec that the fake plugins share with the referee of their callers. */
@NullMarked
package io.csi4j.testkit.internal.spec;

import org.jspecify.annotations.NullMarked;
