/**
 * The call path: the code that carries a call from its service to the plugin and returns the
 * answer, with checks, retries and events.
 *
 * <p>Start at {@code CallPath}; a single call is a {@code UnaryCall} or a {@code MetadataCall}.
 * Subpackages: {@code transport} holds the socket and its threads; {@code mapping} converts between
 * the API and the wire; {@code rules} holds the checks of requests and the required capabilities;
 * {@code redaction} removes secrets from texts; {@code registration} holds the calls to registrars;
 * {@code message} holds calls with protobuf messages; {@code proto} is generated. Nothing in this
 * package is API.
 */
@NullMarked
package io.csi4j.client.internal;

import org.jspecify.annotations.NullMarked;
