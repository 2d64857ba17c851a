/**
 * Claims and a catalog in PostgreSQL: {@link io.csi4j.volume.claim.jdbc.PostgresStore#open}, with
 * the {@code DataSource} of the host. Only {@code StoreTables} contains SQL, and only {@code
 * Database} uses connections. This package contains no rules about claims or volumes. All classes
 * are safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.jdbc;

import org.jspecify.annotations.NullMarked;
