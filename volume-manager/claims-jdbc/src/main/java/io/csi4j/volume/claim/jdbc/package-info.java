/**
 * A store of claims and a catalog in PostgreSQL. Start at {@link
 * io.csi4j.volume.claim.jdbc.PostgresStore#open}, which uses the {@code DataSource} of the host.
 * Only {@code StoreTables} contains SQL, and only {@code Database} uses connections. This package
 * contains no rules about claims or volumes. All classes are thread-safe.
 */
@NullMarked
package io.csi4j.volume.claim.jdbc;

import org.jspecify.annotations.NullMarked;
