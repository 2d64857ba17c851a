package io.csi4j.mount.contract;

import io.csi4j.mount.real.Scratch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** That the contract is what the running kernel does, when it is called by some binding. */
abstract class KernelContracts {

  private final @Nullable String binding;

  /**
   * All parts of the contract.
   *
   * @param binding the one to use; null for the one that all others use
   */
  KernelContracts(@Nullable String binding) {
    this.binding = binding;
  }

  @Nested
  class Bind extends BindContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch, binding);
    }
  }

  @Nested
  class Unmount extends UnmountContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch, binding);
    }
  }

  @Nested
  class Table extends TableContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch, binding);
    }
  }

  @Nested
  class Sharing extends PropagationContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch, binding);
    }
  }

  @Nested
  class Watch extends WatchContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch, binding);
    }
  }

  @Nested
  class RandomSteps extends RandomContract {
    @BeforeEach
    void begin(Scratch scratch) {
      world = new RealWorld(scratch, binding);
    }
  }
}
