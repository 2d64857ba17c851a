/**
 * Pauses between repeated attempts, for all modules that depend on this one.
 *
 * <p>Start at {@code Backoff}. This package draws no random numbers and never waits: its users do,
 * with their own clock. Exported only to modules of csi4j.
 */
@NullMarked
package io.csi4j.client.internal.time;

import org.jspecify.annotations.NullMarked;
