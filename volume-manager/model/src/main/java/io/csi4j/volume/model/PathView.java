package io.csi4j.volume.model;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.model.MountPath;
import java.util.Objects;

/**
 * One directory as this host sees it and as a plugin in a container of its own sees it. The only
 * way from a path of the host to a path for a plugin.
 *
 * @param host the directory on this host
 * @param plugin the same directory for the plugin
 * @since 1.0
 */
public record PathView(MountPath host, PluginPath plugin) {

  /**
   * Drops slashes of the plugin's path that mean nothing; refuses one with {@code .} or {@code ..}.
   */
  public PathView {
    Objects.requireNonNull(host, "host");
    plugin = PluginPath.of(text(MountPath.of(plugin.value())));
  }

  /** The view of a plugin that runs on the host itself. */
  public static PathView same(MountPath directory) {
    return new PathView(directory, PluginPath.of(text(directory)));
  }

  /**
   * The path that the plugin has for a path of this host.
   *
   * @throws IllegalArgumentException if it is not in this directory
   */
  public PluginPath toPlugin(MountPath path) {
    if (!path.isWithin(host)) {
      throw new IllegalArgumentException(
          "The path " + path + " is not in " + host + ", which is all that the plugin sees.");
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
