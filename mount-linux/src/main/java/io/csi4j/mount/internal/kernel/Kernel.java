package io.csi4j.mount.internal.kernel;

/**
 * The running kernel.
 *
 * @param calls its system calls
 * @param features the features that work
 * @param bootId the id of the boot
 * @param release the release, such as {@code 6.8.0-31-generic}
 */
public record Kernel(Syscalls calls, KernelFeatures features, String bootId, String release) {

  /** Returns the kernel with other features, or with calls that are refused. */
  public Kernel with(Syscalls calls, KernelFeatures features) {
    return new Kernel(calls, features, bootId, release);
  }
}
