/**
 * Pauses between repeated tries, for all modules above.
 *
 * <p>Start at {@code Backoff}. It draws no random numbers and waits for nothing: its users do, with
 * their own clock. Exported to our own modules only.
 */
@NullMarked
package io.csi4j.client.internal.time;

import org.jspecify.annotations.NullMarked;
