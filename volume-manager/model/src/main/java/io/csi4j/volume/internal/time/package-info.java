/**
 * Clock, scheduler, mailbox and named threads: the ports to time, with their implementations on
 * this machine. A test binds virtual ones. And the failure that a stage of them ended with.
 */
@NullMarked
package io.csi4j.volume.internal.time;

import org.jspecify.annotations.NullMarked;
