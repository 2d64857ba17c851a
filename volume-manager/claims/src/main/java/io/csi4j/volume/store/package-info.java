/**
 * The interface of a store of records, {@link io.csi4j.volume.store.RecordStore}, which claims and
 * the catalog of volumes use. A store handles keys, versions and bytes, and does not interpret the
 * bytes. The artifact csi4j-conformance contains tests for implementations of a store. Users of
 * claims or of a catalog need only the exception in this package.
 */
@NullMarked
package io.csi4j.volume.store;

import org.jspecify.annotations.NullMarked;
