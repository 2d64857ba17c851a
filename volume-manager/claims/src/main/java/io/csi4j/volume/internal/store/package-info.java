/**
 * The layer between stores of records and the users of these stores. Claims and the catalog use
 * {@link io.csi4j.volume.internal.store.RecordBook} and {@link
 * io.csi4j.volume.internal.store.RecordValues}. The stores of this project use {@link
 * io.csi4j.volume.internal.store.StoreCodec}. This package contains no rules about claims or
 * volumes.
 */
@NullMarked
package io.csi4j.volume.internal.store;

import org.jspecify.annotations.NullMarked;
