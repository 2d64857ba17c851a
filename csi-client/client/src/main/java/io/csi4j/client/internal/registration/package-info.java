/**
 * The protocol of plugin registration on the wire: its two calls, each sent once.
 *
 * <p>Start at {@code RegistrarWire}. What an announcement means and how failures are worded belongs
 * to {@link io.csi4j.client.registration}, which this package does not use. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.registration;

import org.jspecify.annotations.NullMarked;
