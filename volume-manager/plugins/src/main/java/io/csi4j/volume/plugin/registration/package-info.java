/**
 * Watches a directory with the sockets of registrar sidecars, and communicates with the registrars.
 * Start at {@link io.csi4j.volume.plugin.registration.RegistrationWatch}. Internally, {@code
 * SocketWatch} makes all decisions, one at a time, and {@code Conversations} contacts the
 * registrars.
 *
 * <p>Registered plugins are kept in the {@code PluginRegistry}, outside of this package. Values are
 * immutable; the watch is safe for use by many threads.
 */
@NullMarked
package io.csi4j.volume.plugin.registration;

import org.jspecify.annotations.NullMarked;
