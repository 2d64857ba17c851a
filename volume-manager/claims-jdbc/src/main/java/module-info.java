/** A store of claims and a catalog in PostgreSQL, for several machines. */
module io.csi4j.volume.claims.jdbc {
  requires static transitive org.jspecify;
  requires dev.failsafe.core;
  requires transitive io.csi4j.volume.claims;
  requires transitive java.sql;

  exports io.csi4j.volume.claim.jdbc;
}
