package io.csi4j.testkit.effects;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.mount.MemoryNamespace;
import java.io.IOException;

/**
 * The effects of a fake plugin on the filesystem of its node when it stages and publishes volumes.
 * Calls for the same volume never overlap. If a method throws an exception, the CSI call fails with
 * INTERNAL.
 *
 * @since 1.0
 */
public interface NodeEffects {

  /**
   * Returns effects that create a plain directory or file at each target path and remove it again,
   * without a mount. {@link io.csi4j.testkit.FakeCsiPlugin} uses them by default.
   */
  static NodeEffects files() {
    return new FileEffects();
  }

  /** Returns effects that do not touch the filesystem, for callers whose paths do not exist. */
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

  /**
   * Returns effects that mount in an in-memory namespace of a test. Each volume is a separate
   * filesystem in that namespace.
   */
  static NodeEffects mountingIn(MemoryNamespace namespace) {
    return new MemoryEffects(namespace, none());
  }

  /**
   * Returns effects that create the same files as {@link #files}, and mount at the same paths in an
   * in-memory namespace. They suit a caller that creates real directories and reads mounts from
   * {@code namespace}, such as a volume manager opened with {@code mounts(kernel.table(),
   * kernel.mounts())}.
   */
  static NodeEffects filesMountedIn(MemoryNamespace namespace) {
    return new MemoryEffects(namespace, files());
  }

  /** Makes the volume usable at {@code staging}, a directory that the caller created. */
  void stage(VolumeId volume, PluginPath staging) throws IOException;

  /**
   * Reverts {@link #stage}. The directory remains. Does nothing if the volume is not staged at this
   * path.
   */
  void unstage(VolumeId volume, PluginPath staging) throws IOException;

  /** Makes the volume usable at the target path of {@code publication}. */
  void publish(Publication publication) throws IOException;

  /**
   * Reverts {@link #publish} and removes the target. Does nothing if the volume is not published at
   * this path.
   */
  void unpublish(VolumeId volume, PluginPath target) throws IOException;

  /**
   * Unmounts the target and keeps its directory or file, like a plugin that never removes targets.
   * Does nothing if the target is not mounted. The default implementation does nothing.
   */
  default void unmount(PluginPath target) throws IOException {}

  /**
   * Returns whether the paths in calls belong to this machine. The journal checks the files only at
   * such paths.
   */
  default boolean visible() {
    return false;
  }

  /**
   * A publication at a target path.
   *
   * @param volume the volume
   * @param target the path; its parent exists
   * @param block whether the target is a block device, which needs a file and not a directory
   * @param readonly whether the target is read-only
   */
  record Publication(VolumeId volume, PluginPath target, boolean block, boolean readonly) {}
}
