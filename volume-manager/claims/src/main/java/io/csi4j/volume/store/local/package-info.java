/**
 * Stores of records for one machine: {@link io.csi4j.volume.store.local.LocalStore} on the
 * machine's disk, and {@link io.csi4j.volume.store.local.MemoryStore} in the memory of the process.
 * Stores for several machines are in the artifacts csi4j-claims-etcd and csi4j-claims-jdbc.
 */
@NullMarked
package io.csi4j.volume.store.local;

import org.jspecify.annotations.NullMarked;
