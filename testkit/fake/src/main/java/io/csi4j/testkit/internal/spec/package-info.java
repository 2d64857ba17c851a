/** Facts of the spec that the fake plugins and the referee of their callers share. */
@NullMarked
package io.csi4j.testkit.internal.spec;

import org.jspecify.annotations.NullMarked;
