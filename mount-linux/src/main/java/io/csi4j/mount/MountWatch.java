package io.csi4j.mount;

import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountSnapshot;
import java.util.function.Consumer;

/**
 * Reports changes of the mount table.
 *
 * <p>If the kernel reports each mount (fanotify, Linux 6.15 and newer, privileged in the
 * namespace's user namespace), events name the process that caused them; but to a process without
 * privileges on the whole machine the kernel names only that process itself. Otherwise the watch
 * reads the table again whenever the kernel reports a change; a mount that appeared and disappeared
 * in between is not reported then.
 *
 * <p>A mount that is gone before it could be read is not reported at all. Changes of existing
 * mounts are found by reading the table, with pauses of four times the duration of the last
 * reading, so they may be reported after later events.
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

  /** Returns the watch of the running kernel. */
  static MountWatch system() {
    return Host.system().watch();
  }

  /**
   * Reports every change from now on to the listener, in order, on one daemon thread of the watch.
   * A listener that throws still receives the next change.
   *
   * @throws MountException if the table cannot be watched
   */
  Watching start(Consumer<MountEvent> listener);

  /** A running watch. */
  interface Watching extends AutoCloseable {

    /** Returns the mounts when the watch began; every event is a change to them. */
    MountSnapshot start();

    /** Returns how the kernel reports changes, in a few words for people. */
    String source();

    /**
     * Ends the watch. When this method returns, the thread and the descriptors of the watch are
     * gone and no more events arrive. If the listener itself calls it, they are gone as soon as the
     * listener returns.
     */
    @Override
    void close();
  }
}
