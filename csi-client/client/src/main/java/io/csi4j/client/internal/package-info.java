/**
 * The call path: how a call gets from its service to the plugin and back, with its checks, retries
 * and events.
 *
 * <p>Start at {@code CallPath}; a single call is a {@code UnaryCall} or a {@code MetadataCall}. The
 * packages below are: {@code transport}, the socket and its threads; {@code mapping}, between the
 * API and the wire; {@code rules}, what is decided by tables; {@code redaction}, what may be shown;
 * {@code registration}, the calls to registrars; {@code message}, calls by their messages; {@code
 * proto}, generated. Nothing in here is API.
 */
@NullMarked
package io.csi4j.client.internal;

import org.jspecify.annotations.NullMarked;
