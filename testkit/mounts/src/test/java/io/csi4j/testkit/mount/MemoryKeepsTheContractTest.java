package io.csi4j.testkit.mount;

import io.csi4j.mount.contract.BindContract;
import io.csi4j.mount.contract.PropagationContract;
import io.csi4j.mount.contract.RandomContract;
import io.csi4j.mount.contract.TableContract;
import io.csi4j.mount.contract.UnmountContract;
import io.csi4j.mount.contract.WatchContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** That the kernel in memory does what the real one does. */
class MemoryKeepsTheContractTest {

  @Nested
  class Bind extends BindContract {
    @BeforeEach
    void begin() {
      world = new MemoryWorld();
    }
  }

  @Nested
  class Unmount extends UnmountContract {
    @BeforeEach
    void begin() {
      world = new MemoryWorld();
    }
  }

  @Nested
  class Table extends TableContract {
    @BeforeEach
    void begin() {
      world = new MemoryWorld();
    }
  }

  @Nested
  class Sharing extends PropagationContract {
    @BeforeEach
    void begin() {
      world = new MemoryWorld();
    }
  }

  @Nested
  class Watch extends WatchContract {
    @BeforeEach
    void begin() {
      world = new MemoryWorld();
    }
  }

  @Nested
  class RandomSteps extends RandomContract {
    @BeforeEach
    void begin() {
      world = new MemoryWorld();
    }
  }
}
