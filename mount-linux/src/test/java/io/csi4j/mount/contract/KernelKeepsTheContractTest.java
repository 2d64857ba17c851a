package io.csi4j.mount.contract;

import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** That the contract is what the running kernel does. */
@MountTest
class KernelKeepsTheContractTest {

  @Nested
  class Bind extends BindContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch);
    }
  }

  @Nested
  class Unmount extends UnmountContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch);
    }
  }

  @Nested
  class Table extends TableContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch);
    }
  }

  @Nested
  class Sharing extends PropagationContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch);
    }
  }

  @Nested
  class Watch extends WatchContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch);
    }
  }

  @Nested
  class RandomSteps extends RandomContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch);
    }
  }
}
