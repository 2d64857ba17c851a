/**
 * Short programs that show csi4j at work, and the tests that look at all modules at once.
 *
 * <p>Nothing here is published, and nothing here is needed by another module.
 */
@NullMarked
package io.csi4j.examples;

import org.jspecify.annotations.NullMarked;
