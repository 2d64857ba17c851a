package io.csi4j.testkit.mount;

/** A call that does not come back from the kernel in memory. */
final class KernelHang extends RuntimeException {

  private static final long serialVersionUID = 1L;

  KernelHang() {
    super("it does not come back", null, false, false);
  }
}
