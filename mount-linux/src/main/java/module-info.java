/** Reads and changes the mounts of the Linux kernel, including dead and hung ones. */
@SuppressWarnings("requires-automatic")
module io.csi4j.mount {
  requires static transitive org.jspecify;
  requires com.sun.jna;
  requires jdk.jfr;

  exports io.csi4j.mount;
  exports io.csi4j.mount.model;
}
