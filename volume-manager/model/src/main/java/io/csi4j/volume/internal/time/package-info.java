/**
 * The ports to time, clock and scheduler, with their implementations on this machine, and the tools
 * of all modules for work that is done later or elsewhere: threads, the mailbox, turns, rounds, the
 * hub that tells listeners, and the failure that a stage ended with. A test binds virtual time.
 */
@NullMarked
package io.csi4j.volume.internal.time;

import org.jspecify.annotations.NullMarked;
