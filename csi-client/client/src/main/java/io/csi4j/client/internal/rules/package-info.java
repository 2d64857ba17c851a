/**
 * The rules for requests: the checks of a request, and the capabilities that a plugin must offer
 * for it.
 *
 * <p>Start at {@code RequestChecks}. The code in this package is pure: it neither sends nor waits.
 * Not exported.
 */
@NullMarked
package io.csi4j.client.internal.rules;

import org.jspecify.annotations.NullMarked;
