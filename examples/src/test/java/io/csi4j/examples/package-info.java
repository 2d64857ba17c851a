/** The tests that look at all modules at once. */
@NullMarked
package io.csi4j.examples;

import org.jspecify.annotations.NullMarked;
