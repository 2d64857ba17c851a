/**
 * The contract of a store of records, {@link io.csi4j.volume.store.RecordStore}, under claims and
 * the catalog of volumes. A store knows keys, versions and bytes; only the claims and the catalog
 * know what the bytes mean. The checks of a store are in the artifact csi4j-conformance. Users of
 * claims or of a catalog need only the exception of this package.
 */
@NullMarked
package io.csi4j.volume.store;

import org.jspecify.annotations.NullMarked;
