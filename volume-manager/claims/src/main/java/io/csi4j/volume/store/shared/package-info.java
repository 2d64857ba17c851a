/**
 * The kit for the author of a {@link io.csi4j.volume.store.RecordStore} on a server that several
 * processes share: names that sort by their bytes ({@link
 * io.csi4j.volume.store.shared.RecordName}), the memory of which store it is and how far it was
 * ({@link io.csi4j.volume.store.shared.StoreMemory}), and watches that ask the server at an
 * interval ({@link io.csi4j.volume.store.shared.PolledWatches}). The stores for etcd and PostgreSQL
 * use these classes, too. A user of claims or of a catalog needs nothing of this package.
 */
@NullMarked
package io.csi4j.volume.store.shared;

import org.jspecify.annotations.NullMarked;
