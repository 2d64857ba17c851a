/**
 * Decisions by tables: the form of a request, and what a plugin has to offer for it.
 *
 * <p>Start at {@code RequestChecks}. All of it is pure: nothing here sends or waits. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.rules;

import org.jspecify.annotations.NullMarked;
