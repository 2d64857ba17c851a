package io.csi4j.mount.contract;

import io.csi4j.mount.real.MountTest;

/** By the binding that is used here. */
@MountTest
class KernelKeepsTheContractTest extends KernelContracts {

  KernelKeepsTheContractTest() {
    super(null);
  }
}
