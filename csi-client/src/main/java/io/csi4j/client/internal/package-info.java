/**
 * How a call travels: the channel and its socket, the call path with its retries, the checks on
 * both sides of the wire, the mapping to and from protobuf, and the redacted wire log.
 *
 * <p>Start at {@code CallPath}. Nothing in here is API. Generated code is in {@code proto}.
 */
@NullMarked
package io.csi4j.client.internal;

import org.jspecify.annotations.NullMarked;
