/**
 * Test plugins in JUnit 5 tests: annotate a test with {@link io.csi4j.testkit.junit.FakeCsi} and
 * take a {@code FakeCsiPlugin} as a parameter.
 *
 * <p>Everything that the extension does stands in plain classes; the extension itself only hands
 * them what JUnit tells it. Values from here belong to the test that got them. Needs JUnit 5.12 or
 * later.
 */
@NullMarked
package io.csi4j.testkit.junit;

import org.jspecify.annotations.NullMarked;
