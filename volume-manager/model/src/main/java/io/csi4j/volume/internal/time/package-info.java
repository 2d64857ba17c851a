/**
 * Tools of all modules for asynchronous and periodic work: threads, queues of tasks, the
 * notification of listeners, and the unwrapping of failures. The package also has the interfaces of
 * the clock and the scheduler, with implementations for real time. Tests use virtual time instead.
 */
@NullMarked
package io.csi4j.volume.internal.time;

import org.jspecify.annotations.NullMarked;
