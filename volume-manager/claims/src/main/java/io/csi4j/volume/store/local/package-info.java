/**
 * Stores of records for one machine: {@link io.csi4j.volume.store.local.LocalStore} on its disk,
 * {@link io.csi4j.volume.store.local.MemoryStore} in the process. Stores for more than one machine
 * are in the artifacts csi4j-claims-etcd and csi4j-claims-jdbc.
 */
@NullMarked
package io.csi4j.volume.store.local;

import org.jspecify.annotations.NullMarked;
