/**
 * The interfaces of clock and scheduler with their implementations on this machine, and the tools
 * of all modules for asynchronous and periodic work: threads, the mailbox, turns, rounds, the hub
 * that notifies listeners, and the unwrapping of failures. Tests use virtual time.
 */
@NullMarked
package io.csi4j.volume.internal.time;

import org.jspecify.annotations.NullMarked;
