package io.csi4j.testkit.mount;

/**
 * A call that does not come back from the kernel. The test does not wait for it: its caller is told
 * at once that its deadline has passed, and the call has no effect, then or later.
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

  /** Lets it come back, so that it is counted no more. */
  public void release() {
    kernel.run(
        () -> {
          released = true;
          kernel.faults.release(this);
        });
  }
}
