package io.csi4j.testkit.mount;

/**
 * A call that hangs in the kernel. The test does not wait for it: its caller learns at once that
 * the deadline has passed, and the call never takes effect.
 *
 * @since 1.0
 */
public final class StuckCall {

  private final MemoryKernel kernel;
  private boolean released;

  StuckCall(MemoryKernel kernel) {
    this.kernel = kernel;
  }

  boolean isReleased() {
    return released;
  }

  /** Lets the call return, so that it no longer counts as hanging. */
  public void release() {
    kernel.run(
        () -> {
          released = true;
          kernel.faults.release(this);
        });
  }
}
