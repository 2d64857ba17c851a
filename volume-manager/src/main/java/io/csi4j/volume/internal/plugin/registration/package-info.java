/**
 * Registrars and their sockets: how a directory of them is watched, what they are asked and told.
 * Start at {@link io.csi4j.volume.internal.plugin.registration.SocketWatch}, which decides
 * everything, one thing at a time; {@link
 * io.csi4j.volume.internal.plugin.registration.Conversations} is its way to the registrars, and
 * {@link io.csi4j.volume.internal.plugin.registration.OpenedWatch} binds both to this machine.
 *
 * <p>What is registered belongs to the registry. Values do not change; the watch is safe for many
 * threads.
 */
@NullMarked
package io.csi4j.volume.internal.plugin.registration;

import org.jspecify.annotations.NullMarked;
