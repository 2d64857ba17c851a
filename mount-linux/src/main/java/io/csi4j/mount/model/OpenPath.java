package io.csi4j.mount.model;

/**
 * A directory or file that is held open, so that it stays the same even if its path changes: the
 * root of a mount, as {@link io.csi4j.mount.Mounts#open} returns it, or a file beneath it.
 *
 * <p>It is opened with {@code O_PATH}: nothing can be read through it, and filesystems were called
 * only for the path to it. While it is open its mount is in use, so a plain unmount fails. Safe for
 * use by many threads; closing is idempotent.
 *
 * <pre>{@code
 * try (OpenPath volume = Mounts.system().beneath(root).open(target);
 *     OpenPath data = volume.resolve("tenants/7")) { // follows no link, stays inside
 *   runtime.accept(data.throughProc()); // exactly the open file, even if the path has changed
 * }
 * }</pre>
 *
 * @since 1.0
 */
public interface OpenPath extends AutoCloseable {

  /** Returns the mount that contains it, with its number, for comparing and unmounting. */
  MountRef mount();

  /** Returns the path by which it was reached. */
  MountPath path();

  /** Returns the number of the descriptor in this process. */
  int descriptor();

  /**
   * Returns a path that leads to exactly the open file, {@code /proc/PID/fd/N}. It is valid while
   * the file is open, for processes of this mount namespace that may access this process.
   */
  MountPath throughProc();

  /** Returns whether it is a directory. */
  boolean isDirectory();

  /**
   * Opens a file beneath this directory. No symbolic link is followed, no path leads out of the
   * directory, and no other mount is entered. The filesystem is called for the path, on the threads
   * and within the deadline of the {@code Mounts}.
   *
   * @param below a relative path, such as {@code tenants/7}; it may come from anywhere
   * @throws MountException with {@link MountException.Reason#SYMLINK} for a link, with {@link
   *     MountException.Reason#OUTSIDE} for a path that does not lead down or leads into another
   *     mount, with {@link MountException.Reason#NOT_FOUND} if nothing exists there
   */
  OpenPath resolve(String below);

  @Override
  void close();
}
