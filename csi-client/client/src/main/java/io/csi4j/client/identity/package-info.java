/**
 * The identity of a plugin: its info, its capabilities, its readiness.
 *
 * <p>Start at {@link io.csi4j.client.identity.IdentityService}. What other services use too lives
 * in {@code io.csi4j.client.model}. Results are made by the client alone, and later releases may
 * give them more methods. All values here are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.identity;

import org.jspecify.annotations.NullMarked;
