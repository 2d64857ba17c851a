/**
 * Registrar sidecars and their sockets: how a directory of them is watched, what registrars are
 * asked and told. Start at {@link io.csi4j.volume.plugin.registration.RegistrationWatch}; behind it
 * {@code SocketWatch} decides everything, one thing at a time, {@code Conversations} is its way to
 * the registrars.
 *
 * <p>What is registered belongs to the registry. Values do not change; the watch is safe for many
 * threads.
 */
@NullMarked
package io.csi4j.volume.plugin.registration;

import org.jspecify.annotations.NullMarked;
