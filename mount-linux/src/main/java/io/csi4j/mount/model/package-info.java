/**
 * Values of mounts: paths, references, records and tables, requests, results, and {@link
 * io.csi4j.mount.model.MountException}.
 *
 * <p>All are independent of a kernel: nothing here makes a system call or reads a file. The
 * interfaces that use them are in {@link io.csi4j.mount}.
 */
@NullMarked
package io.csi4j.mount.model;

import org.jspecify.annotations.NullMarked;
