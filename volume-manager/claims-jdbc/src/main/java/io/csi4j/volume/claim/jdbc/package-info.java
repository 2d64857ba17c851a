/**
 * Claims and a catalog in PostgreSQL: {@link io.csi4j.volume.claim.jdbc.PostgresStore#open}, with
 * the {@code DataSource} of the host. Only {@code StoreTables} knows SQL, and only {@code Database}
 * connections. No rule about claims or volumes is in it. Everything is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.jdbc;

import org.jspecify.annotations.NullMarked;
