package io.csi4j.testkit.mount;

/**
 * An open file of a process in a {@link MemoryNamespace}. Its mount is in use until the handle is
 * closed.
 *
 * @since 1.0
 */
public final class OpenHandle implements AutoCloseable {

  private final MemoryKernel kernel;
  private final Mount mount;
  private final boolean writing;
  private final long pid;

  /** Whether the process waits for a server, and gets an error when the connection is aborted. */
  private final boolean blocked;

  OpenHandle(MemoryKernel kernel, Mount mount, boolean writing, long pid) {
    this.kernel = kernel;
    this.mount = mount;
    this.writing = writing;
    this.pid = pid;
    this.blocked = mount.filesystem.server == ServerState.HUNG;
  }

  /** Returns the id of the process that has the file open. */
  public long pid() {
    return pid;
  }

  boolean isWriting() {
    return writing;
  }

  boolean isBlocked() {
    return blocked;
  }

  /** Closes the file; closing again has no effect. */
  @Override
  public void close() {
    kernel.run(() -> kernel.model().letGo(mount, this));
  }
}
