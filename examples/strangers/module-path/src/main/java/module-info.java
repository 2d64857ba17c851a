/** A sample project of an outside user, on the module path. */
module stranger {
  requires io.csi4j.volume.node;
  requires io.csi4j.testkit;
}
