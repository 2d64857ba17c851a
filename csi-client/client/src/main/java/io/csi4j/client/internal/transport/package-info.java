/**
 * The connection to a plugin: the socket, the process that listens on it, the channel, and the
 * threads of the channel.
 *
 * <p>Start at {@code Connection}. Calls and messages are handled by the call path, in the parent
 * package. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.transport;

import org.jspecify.annotations.NullMarked;
