/**
 * The layer between stores of records and their users: {@link
 * io.csi4j.volume.internal.store.RecordBook} and {@link
 * io.csi4j.volume.internal.store.RecordValues} for claims and the catalog, {@link
 * io.csi4j.volume.internal.store.StoreCodec} for the stores of this project. This package contains
 * no rules about claims or volumes.
 */
@NullMarked
package io.csi4j.volume.internal.store;

import org.jspecify.annotations.NullMarked;
