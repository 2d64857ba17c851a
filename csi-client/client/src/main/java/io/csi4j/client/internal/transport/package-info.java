/**
 * The connection to a plugin: the socket and the process behind it, the channel, its threads.
 *
 * <p>Start at {@code Connection}. Calls and messages belong to the call path, in the package above.
 * Not exported.
 */
@NullMarked
package io.csi4j.client.internal.transport;

import org.jspecify.annotations.NullMarked;
