package io.csi4j.mount.model;

/**
 * A directory or file that is held open, so that it stays the same whatever becomes of its path:
 * the root of a mount, as {@link io.csi4j.mount.Mounts#open} gives it, or something beneath it.
 *
 * <p>It is open as a place only ({@code O_PATH}): nothing can be read through it, and no filesystem
 * was asked for more than the way to it. While it is open its mount is in use, so that a plain
 * unmount fails. Safe for many threads; closing it twice is harmless.
 *
 * <pre>{@code
 * try (OpenPath volume = Mounts.system().beneath(root).open(target);
 *     OpenPath data = volume.resolve("tenants/7")) { // follows no link, stays inside
 *   runtime.accept(data.throughProc()); // exactly what is open, whatever the path says now
 * }
 * }</pre>
 *
 * @since 1.0
 */
public interface OpenPath extends AutoCloseable {

  /** Returns the mount that it is in: with its number, to compare and to unmount it by. */
  MountRef mount();

  /** Returns the path by which it was reached. */
  MountPath path();

  /** Returns the number of the descriptor in this process. */
  int descriptor();

  /**
   * Returns a path that leads to exactly what is open, for other processes of this mount namespace
   * that may look into this process, and only while it is open: {@code /proc/PID/fd/N}.
   */
  MountPath throughProc();

  /** Whether it is a directory. */
  boolean isDirectory();

  /**
   * Opens something beneath this directory. No part of the way is followed if it is a symbolic
   * link, nothing leads out of the directory, and no other mount is entered. The filesystem is
   * asked for the way, on the threads and within the deadline of the {@code Mounts}.
   *
   * @param below a relative path, such as {@code tenants/7}; it may come from anywhere
   * @throws MountException with {@link MountException.Reason#SYMLINK} for a link, with {@link
   *     MountException.Reason#OUTSIDE} for a path that is no way down or leads into another mount,
   *     with {@link MountException.Reason#NOT_FOUND} if nothing is there
   */
  OpenPath resolve(String below);

  @Override
  void close();
}
