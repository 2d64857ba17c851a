/**
 * The code between stores of records and those who keep something in them: {@link
 * io.csi4j.volume.internal.store.RecordBook} and {@link
 * io.csi4j.volume.internal.store.RecordValues} for claims and the catalog, {@link
 * io.csi4j.volume.internal.store.StoreCodec} for the stores of this project. No rule about claims
 * or volumes is in it.
 */
@NullMarked
package io.csi4j.volume.internal.store;

import org.jspecify.annotations.NullMarked;
