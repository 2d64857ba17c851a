package io.csi4j.volume.internal.path;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.model.MountPath;
import java.util.Objects;

/**
 * A directory with its path on this host and its path in a plugin's container. Every conversion of
 * a host path into a plugin path uses this class.
 *
 * @param host the directory on this host
 * @param plugin the path of the same directory as the plugin sees it
 */
public record PathView(MountPath host, PluginPath plugin) {

  /**
   * Removes redundant slashes from the plugin's path; rejects a path with {@code .} or {@code ..}.
   */
  public PathView {
    Objects.requireNonNull(host, "host");
    plugin = PluginPath.of(text(MountPath.of(plugin.value())));
  }

  /** Returns the view of a plugin that runs directly on the host. */
  public static PathView same(MountPath directory) {
    return new PathView(directory, PluginPath.of(text(directory)));
  }

  /**
   * Returns the plugin's path for a path of the host.
   *
   * @throws IllegalArgumentException if the path is not in this directory
   */
  public PluginPath toPlugin(MountPath path) {
    if (!path.isWithin(host)) {
      throw new IllegalArgumentException(
          "The path " + path + " is not in " + host + ", the only directory that the plugin sees.");
    }
    if (path.equals(host)) {
      return plugin;
    }
    String below = text(path).substring(host.isRoot() ? 0 : text(host).length());
    return PluginPath.of(plugin.value().equals("/") ? below : plugin.value() + below);
  }

  private static String text(MountPath path) {
    return path.toPath().toString();
  }
}
