package io.csi4j.volume.plugin.launch;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PathView;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRole;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether what a plugin mounts below the manager's directory can be seen by the manager, found out
 * before any volume fails. Only looks; mounts nothing and calls no plugin.
 *
 * @param verdict whether it can
 * @param seen what was seen, as a clause for people
 * @param message what an operator is told, with the command that mends it, where it cannot
 */
public record PropagationCheck(Verdict verdict, Text seen, Optional<OperatorMessage> message) {

  /** Whether mounts of a plugin can be seen here. */
  public enum Verdict {
    /** The plugin has the very same mount: it runs on the host, and nothing else is needed. */
    SAME_MOUNT,
    /** The mounts are shared. */
    SHARED,
    /** The directory is in a mount of the host that shares nothing. */
    NOT_SHARED,
    /** The host would share them; the plugin was started without that. */
    NOT_SHARED_BY_PLUGIN,
    /** The plugin has another directory at the path that it is to have the manager's at. */
    ELSEWHERE,
    /** The propagation could not be found out. */
    UNKNOWN,
    /** The plugin mounts nothing. */
    NOT_NEEDED
  }

  /**
   * The observation, for people.
   *
   * @param value a clause without a full stop
   */
  public record Text(String value) {
    @Override
    public String toString() {
      return value;
    }
  }

  /** Checks that all parts are there. */
  public PropagationCheck {
    Objects.requireNonNull(verdict, "verdict");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(message, "message");
  }

  /**
   * Looks at the host alone, before the plugin is started: whether a container can share mounts of
   * the manager's directory. A plugin that runs on the host does not need that.
   */
  public static PropagationCheck host(PluginConfig config) {
    return of(config, MountTable.system(), (look, view) -> look.host(view.host()));
  }

  /**
   * Looks at the host alone.
   *
   * @param plugin the plugin that would mount there
   * @param view the manager's directory, here and as the plugin sees it
   */
  public static PropagationCheck host(PluginId plugin, PathView view) {
    PropagationLook look = new PropagationLook(MountTable.system());
    return of(plugin, view, look.host(view.host()));
  }

  /**
   * Looks at a plugin that runs.
   *
   * @param process its number, as this process sees it; to look into it takes the same user, or
   *     root
   */
  public static PropagationCheck plugin(PluginConfig config, long process) {
    return of(config, MountTable.system(), (look, view) -> look.plugin(view, process));
  }

  /** One of the two looks. */
  private interface Look {
    PropagationLook.Found at(PropagationLook look, PathView view);
  }

  private static PropagationCheck of(PluginConfig config, MountTable table, Look look) {
    Path root = config.volumeRoot().orElse(null);
    if (root == null || !config.roles().contains(PluginRole.NODE)) {
      return new PropagationCheck(
          Verdict.NOT_NEEDED, new Text("the plugin mounts nothing"), Optional.empty());
    }
    PathView view =
        new PathView(
            MountPath.of(root),
            config.seesVolumeRootAt().orElseGet(() -> PluginPath.of(root.toString())));
    PropagationLook.Found found = look.at(new PropagationLook(table), view);
    return of(config.id(), view, found);
  }

  private static PropagationCheck of(PluginId plugin, PathView view, PropagationLook.Found found) {
    return new PropagationCheck(
        found.verdict(), new Text(found.seen()), PropagationLook.message(plugin, view, found));
  }

  /** Whether nothing is known to be in the way. */
  public boolean isGood() {
    return message.isEmpty();
  }
}
