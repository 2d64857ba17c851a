/**
 * Tells listeners and the flight recorder what happens. Start at {@link
 * io.csi4j.volume.internal.events.EventHub}. No decision about a volume is made here.
 */
@NullMarked
package io.csi4j.volume.internal.events;

import org.jspecify.annotations.NullMarked;
