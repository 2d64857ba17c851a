/**
 * Claims in PostgreSQL, for more than one machine. Start at {@link
 * io.csi4j.volume.claim.jdbc.JdbcClaimStore#open}, with the {@code DataSource} of the host. Only
 * {@code ClaimTables} knows SQL, and only {@code Database} connections. No rule about claims stands
 * in here. Everything is safe for many threads.
 */
@NullMarked
package io.csi4j.volume.claim.jdbc;

import org.jspecify.annotations.NullMarked;
