/**
 * Classes for authors of a {@link io.csi4j.volume.store.RecordStore} on a server that several
 * processes share. {@link io.csi4j.volume.store.shared.RecordName} encodes names so that they sort
 * correctly by their bytes. {@link io.csi4j.volume.store.shared.StoreMemory} remembers the identity
 * and the progress of the store. {@link io.csi4j.volume.store.shared.PolledWatches} contains
 * watches that poll the server. The stores for etcd and PostgreSQL also use these classes. Users of
 * claims or of a catalog do not need this package.
 */
@NullMarked
package io.csi4j.volume.store.shared;

import org.jspecify.annotations.NullMarked;
