package io.csi4j.mount.contract;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;

/**
 * A place to mount in, and what a test arranges there without the code under test. The place is a
 * mount of its own, private, of a filesystem in memory.
 */
public interface World {

  MountTable table();

  Mounts mounts();

  MountWatch watch();

  /** A path in the place. */
  MountPath path(String relative);

  /** Makes a directory, with those above it. */
  MountPath directory(String relative);

  /** Makes a file, with the directories above it. */
  MountPath file(String relative, String content);

  MountPath symlink(String relative, MountPath target);

  /** Makes a directory and mounts a new filesystem on it. */
  MountPath tmpfs(String relative);

  /** Mounts a new filesystem on what is there, over anything that is mounted. */
  void tmpfsOver(MountPath path);

  void bind(MountPath source, MountPath target);

  /** Takes the mount on top away lazily. */
  void detach(MountPath path);

  void move(MountPath from, MountPath to);

  /** Sets the propagation of one mount. */
  void propagation(MountPath path, Propagation propagation);

  void unbindable(MountPath path);

  void rename(MountPath from, MountPath to);

  /** Removes a file or an empty directory. */
  void remove(MountPath path);

  boolean exists(MountPath path);

  Use open(MountPath path);

  Use openForWriting(MountPath path);

  /** A mount namespace of its own, with a copy of every mount there is now. */
  Elsewhere elsewhere();

  /** Something that is open. */
  interface Use extends AutoCloseable {
    @Override
    void close();
  }

  /** Another namespace. */
  interface Elsewhere extends AutoCloseable {

    boolean isMount(MountPath path);

    void tmpfsOver(MountPath path);

    Use open(MountPath path);

    void propagation(MountPath path, Propagation propagation);

    @Override
    void close();
  }
}
