/**
 * The identity service, which reports the name, the capabilities and the readiness of a plugin.
 *
 * <p>Start at {@link io.csi4j.client.identity.IdentityService}. Types shared with other services
 * are in {@code io.csi4j.client.model}. Only the client creates results, so later releases may add
 * methods to the result types. All values here are immutable and safe to share between threads.
 */
@NullMarked
package io.csi4j.client.identity;

import org.jspecify.annotations.NullMarked;
