/** Mounts in memory, on any operating system and without privileges. */
module io.csi4j.testkit.mount {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.mount;

  exports io.csi4j.testkit.mount;
}
