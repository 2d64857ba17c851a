/**
 * Decisions on the workload's side of a mount, over values: which checks there are before anything
 * is done, and what a task's runtime is handed afterwards. Start at {@link
 * io.csi4j.volume.internal.workload.Checks}. Nothing here calls a plugin or changes anything; all
 * of it is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.internal.workload;

import org.jspecify.annotations.NullMarked;
