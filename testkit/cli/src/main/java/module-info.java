/** The csi4j command line program, which is an application and exports no packages. */
@SuppressWarnings("requires-automatic")
module io.csi4j.testkit.cli {
  requires static org.jspecify;
  requires io.csi4j.client;
  requires io.csi4j.conformance;
  requires io.csi4j.mount;
  requires io.csi4j.testkit;
  requires io.csi4j.testkit.hostpath;
  requires io.csi4j.testkit.proxy;
  requires io.csi4j.volume.claims;
  requires io.csi4j.volume.claims.etcd;
  requires io.csi4j.volume.claims.jdbc;
  requires io.csi4j.volume.controller;
  requires io.csi4j.volume.node;
  requires info.picocli;

  uses java.sql.Driver;

  opens io.csi4j.testkit.cli to
      info.picocli;
}
