/**
 * The protocol of plugin registration on the wire: its two calls, each sent once.
 *
 * <p>Start at {@code RegistrarWire}. The package {@link io.csi4j.client.registration} interprets
 * announcements and describes failures; this package does not depend on it. Not exported.
 */
@NullMarked
package io.csi4j.client.internal.registration;

import org.jspecify.annotations.NullMarked;
