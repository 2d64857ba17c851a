/**
 * Delivery of events to listeners and the flight recorder. The entry type is {@link
 * io.csi4j.volume.internal.events.EventHub}. Decisions about volumes do not belong here.
 */
@NullMarked
package io.csi4j.volume.internal.events;

import org.jspecify.annotations.NullMarked;
