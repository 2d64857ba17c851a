package io.csi4j.testkit.mount;

/**
 * A file that a process of a {@link MemoryNamespace} has open. Its mount is in use until the handle
 * is closed.
 *
 * @since 1.0
 */
public final class OpenHandle implements AutoCloseable {

  private final MemoryKernel kernel;
  private final Mount mount;
  private final boolean writing;
  private final long pid;

  /** Whether its process waits for a server, and gets an error when that is given up. */
  private final boolean blocked;

  OpenHandle(MemoryKernel kernel, Mount mount, boolean writing, long pid) {
    this.kernel = kernel;
    this.mount = mount;
    this.writing = writing;
    this.pid = pid;
    this.blocked = mount.filesystem.server == ServerState.HUNG;
  }

  /** The number of the process that has it open. */
  public long pid() {
    return pid;
  }

  boolean isWriting() {
    return writing;
  }

  boolean isBlocked() {
    return blocked;
  }

  /** Closes it; repeated calls do nothing. */
  @Override
  public void close() {
    kernel.run(() -> kernel.model().letGo(mount, this));
  }
}
