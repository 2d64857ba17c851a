package io.csi4j.testkit.effects;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.mount.MemoryNamespace;
import java.io.IOException;

/**
 * Decides what a fake plugin does to the filesystem of its node when it stages and publishes. Calls
 * for the same volume never overlap; if a method throws, the CSI call fails with INTERNAL.
 *
 * @since 1.0
 */
public interface NodeEffects {

  /**
   * Creates a plain directory or file at each target path, and removes it again: the work of a
   * plugin without the mount. Default of {@link io.csi4j.testkit.FakeCsiPlugin}.
   */
  static NodeEffects files() {
    return new FileEffects();
  }

  /** Leaves the filesystem alone: for callers whose paths do not exist. */
  static NodeEffects none() {
    return new NodeEffects() {
      @Override
      public void stage(VolumeId volume, PluginPath staging) {}

      @Override
      public void unstage(VolumeId volume, PluginPath staging) {}

      @Override
      public void publish(Publication publication) {}

      @Override
      public void unpublish(VolumeId volume, PluginPath target) {}
    };
  }

  /** Mounts in an in-memory namespace of a test; each volume is a separate filesystem there. */
  static NodeEffects mountingIn(MemoryNamespace namespace) {
    return new MemoryEffects(namespace, none());
  }

  /**
   * Creates the same files as {@link #files}, and mounts at the same paths in an in-memory
   * namespace: for a caller that creates real directories and reads mounts from {@code namespace},
   * such as a volume manager opened with {@code mounts(kernel.table(), kernel.mounts())}.
   */
  static NodeEffects filesMountedIn(MemoryNamespace namespace) {
    return new MemoryEffects(namespace, files());
  }

  /** Makes the volume usable at {@code staging}, a directory that the caller created. */
  void stage(VolumeId volume, PluginPath staging) throws IOException;

  /**
   * Reverts {@link #stage}; the directory stays. Does nothing if the volume is not staged there.
   */
  void unstage(VolumeId volume, PluginPath staging) throws IOException;

  /** Creates {@code publication}. */
  void publish(Publication publication) throws IOException;

  /**
   * Reverts {@link #publish} and removes the target. Does nothing if the volume is not published
   * there.
   */
  void unpublish(VolumeId volume, PluginPath target) throws IOException;

  /**
   * Unmounts the target and leaves its directory or file, as a plugin does that never removes
   * targets. Does nothing if nothing is mounted there, or if the effects do not mount, which is the
   * default.
   */
  default void unmount(PluginPath target) throws IOException {}

  /**
   * Returns whether the paths in calls are paths of this machine, which the journal should check.
   */
  default boolean visible() {
    return false;
  }

  /**
   * A publication at a target path.
   *
   * @param volume the volume
   * @param target the path; its parent exists
   * @param block whether the target is a device node (a file), not a directory
   * @param readonly whether the target is read-only
   */
  record Publication(VolumeId volume, PluginPath target, boolean block, boolean readonly) {}
}
