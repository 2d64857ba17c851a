/**
 * The contract of a store of records, {@link io.csi4j.volume.store.RecordStore}, under claims and
 * the catalog of volumes. A store knows keys, versions and bytes; only the claims and the catalog
 * know what the bytes mean. The checks of a store are in the artifact csi4j-conformance. A user of
 * claims or of a catalog needs nothing of this package but the exception.
 */
@NullMarked
package io.csi4j.volume.store;

import org.jspecify.annotations.NullMarked;
