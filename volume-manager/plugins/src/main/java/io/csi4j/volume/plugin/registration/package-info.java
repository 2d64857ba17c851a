/**
 * Registrar sidecars and their sockets: watches a directory of sockets and communicates with the
 * registrars. Start at {@link io.csi4j.volume.plugin.registration.RegistrationWatch}; internally
 * {@code SocketWatch} makes all decisions, one at a time, and {@code Conversations} contacts the
 * registrars.
 *
 * <p>Registered plugins belong to the registry. Values are immutable; the watch is safe for use by
 * many threads.
 */
@NullMarked
package io.csi4j.volume.plugin.registration;

import org.jspecify.annotations.NullMarked;
