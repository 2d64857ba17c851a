/** The mounts of the Linux kernel, seen and changed. */
module io.csi4j.mount {
  requires static transitive org.jspecify;
}
