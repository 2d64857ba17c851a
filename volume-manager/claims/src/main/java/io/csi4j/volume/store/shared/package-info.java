/**
 * Classes for authors of a {@link io.csi4j.volume.store.RecordStore} on a server that several
 * processes share: names that sort by their bytes ({@link
 * io.csi4j.volume.store.shared.RecordName}), the memory of the store's identity and progress
 * ({@link io.csi4j.volume.store.shared.StoreMemory}), and watches that poll the server ({@link
 * io.csi4j.volume.store.shared.PolledWatches}). The stores for etcd and PostgreSQL use these
 * classes, too. Users of claims or of a catalog need nothing of this package.
 */
@NullMarked
package io.csi4j.volume.store.shared;

import org.jspecify.annotations.NullMarked;
