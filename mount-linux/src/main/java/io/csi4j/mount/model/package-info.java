/**
 * The words in which mounts are spoken of: paths, references, records and tables; what is asked
 * for, what came of it, and {@link io.csi4j.mount.model.MountException}.
 *
 * <p>All are values without a kernel behind them: nothing here makes a system call or reads a file.
 * The interfaces that take and give them are in {@link io.csi4j.mount}.
 */
@NullMarked
package io.csi4j.mount.model;

import org.jspecify.annotations.NullMarked;
