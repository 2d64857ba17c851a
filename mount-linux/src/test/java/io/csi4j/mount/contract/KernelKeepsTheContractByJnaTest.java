package io.csi4j.mount.contract;

import io.csi4j.mount.real.MountTest;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/** By the binding that older JVMs use, where it is not the one of all other tests. */
@MountTest
@EnabledForJreRange(minVersion = 22, disabledReason = "all tests use JNA before Java 22")
class KernelKeepsTheContractByJnaTest extends KernelContracts {

  KernelKeepsTheContractByJnaTest() {
    super("jna");
  }
}
