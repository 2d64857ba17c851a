package io.csi4j.mount;

import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountSnapshot;
import java.util.function.Consumer;

/**
 * Tells when the mount table changes.
 *
 * <p>Where the kernel reports each mount (fanotify, Linux 6.15 and newer, privileged in the
 * namespace's user namespace), events come with the process that caused them; but to a process that
 * is not privileged on the machine as a whole it names this process only, and no other. Elsewhere
 * the table is read again whenever the kernel says that it changed; a mount that came and went in
 * between is then not told.
 *
 * <p>A mount that is gone again before it could be looked at is not told at all. Changes of mounts
 * that stay are found by reading the table, with pauses of four times as long as the last reading
 * took, so they may come after what happened later.
 *
 * <pre>{@code
 * try (MountWatch.Watching watching = MountWatch.system().start(log::accept)) {
 *   log.accept(watching.start()); // every event is a change to these mounts
 *   host.run();
 * }
 * }</pre>
 *
 * @since 1.0
 */
public interface MountWatch {

  /** The running kernel. */
  static MountWatch system() {
    return Host.system().watch();
  }

  /**
   * Tells every change from now on to the listener, in order, on one daemon thread of the watch. A
   * listener that throws is told the next change all the same.
   *
   * @throws MountException if the table cannot be watched
   */
  Watching start(Consumer<MountEvent> listener);

  /** A watch that runs. */
  interface Watching extends AutoCloseable {

    /** Returns the mounts when the watch began; every event is a change to them. */
    MountSnapshot start();

    /** How the kernel tells of changes, in a few words for people. */
    String source();

    /**
     * Ends the watch. When this returns, its thread and descriptors are gone and no event comes any
     * more; called by the listener itself, they are gone as soon as it returns.
     */
    @Override
    void close();
  }
}
