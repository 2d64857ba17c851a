/**
 * The kit for the author of a {@link io.csi4j.volume.store.RecordStore} on a server that several
 * processes share: names that sort by their bytes ({@link
 * io.csi4j.volume.store.shared.RecordName}), and the memory of which store it is and how far it was
 * ({@link io.csi4j.volume.store.shared.StoreMemory}). The stores for etcd and PostgreSQL use the
 * same classes. A user of claims or of a catalog needs nothing of this package.
 */
@NullMarked
package io.csi4j.volume.store.shared;

import org.jspecify.annotations.NullMarked;
