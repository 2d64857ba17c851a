/**
 * Pauses between repeated attempts, for all modules that depend on this one.
 *
 * <p>Start at {@code Backoff}. This package computes the length of a pause. The caller supplies the
 * random number and waits. Exported only to modules of csi4j.
 */
@NullMarked
package io.csi4j.client.internal.time;

import org.jspecify.annotations.NullMarked;
