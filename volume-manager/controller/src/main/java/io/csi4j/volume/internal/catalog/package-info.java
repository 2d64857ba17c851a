/**
 * The stored form of volumes: {@link io.csi4j.volume.internal.catalog.CatalogRecord}, and its
 * encoding. The rules for changes of records are in {@code io.csi4j.volume.controller}.
 */
@NullMarked
package io.csi4j.volume.internal.catalog;

import org.jspecify.annotations.NullMarked;
