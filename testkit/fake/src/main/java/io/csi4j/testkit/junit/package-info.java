/**
 * Test plugins in JUnit 5 tests. Annotate a test with {@link io.csi4j.testkit.junit.FakeCsi} and
 * declare a {@code FakeCsiPlugin} parameter.
 *
 * <p>The extension only passes JUnit's events on to plain classes, which do the work. Values that
 * the extension provides belong to the test that received them. The package requires JUnit 5.12 or
 * later.
 */
@NullMarked
package io.csi4j.testkit.junit;

import org.jspecify.annotations.NullMarked;
