/**
 * The form of volumes in a store of records: {@link
 * io.csi4j.volume.internal.catalog.CatalogRecord}, and its bytes. The rules by which records change
 * are in {@code io.csi4j.volume.controller}.
 */
@NullMarked
package io.csi4j.volume.internal.catalog;

import org.jspecify.annotations.NullMarked;
