/**
 * Decisions by tables: the form of a request, and the capabilities that a plugin must offer for it.
 *
 * <p>Start at {@code RequestChecks}. All code in this package is pure: nothing sends or waits. Not
 * exported.
 */
@NullMarked
package io.csi4j.client.internal.rules;

import org.jspecify.annotations.NullMarked;
