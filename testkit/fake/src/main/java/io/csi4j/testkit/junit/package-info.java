/**
 * Test plugins in JUnit 5 tests: annotate a test with {@link io.csi4j.testkit.junit.FakeCsi} and
 * take a {@code FakeCsiPlugin} as a parameter.
 *
 * <p>Plain classes do the work of the extension; the extension itself passes JUnit's events to
 * them. Values that the extension provides belong to the test that received them. Requires JUnit
 * 5.12 or later.
 */
@NullMarked
package io.csi4j.testkit.junit;

import org.jspecify.annotations.NullMarked;
