/**
 * The protocol of plugin registration on the wire: its two calls, each sent once.
 *
 * <p>Start at {@code RegistrarWire}. The meaning of an announcement and the wording of failures
 * belong to {@link io.csi4j.client.registration}, which this package does not use. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.registration;

import org.jspecify.annotations.NullMarked;
