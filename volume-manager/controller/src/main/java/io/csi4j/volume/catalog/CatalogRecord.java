package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.fields.UnknownFields;

/**
 * A volume as it stands in a state.
 *
 * @param entry what this version knows of it
 * @param unknown what a newer version wrote
 */
record CatalogRecord(CatalogEntry entry, UnknownFields unknown) {}
