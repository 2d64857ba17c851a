/**
 * The connection to a plugin: the socket and who is behind it, the channel, its threads.
 *
 * <p>Start at {@code Connection}. What is sent over it is none of its business: that is the call
 * path, one package up. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.transport;

import org.jspecify.annotations.NullMarked;
