package io.csi4j.volume.plugin.launch;

import io.csi4j.client.model.PluginPath;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.path.PathView;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRole;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The result of a check whether mounts of a plugin below the manager's directory are visible to the
 * manager. With this check, a host can detect the problem before a volume fails. The check only
 * reads files, and does not call the plugin. It creates no trial mount, because this would require
 * access to the plugin's namespace, and the mount could be left behind.
 *
 * @param verdict the result
 * @param seen the observation, as a clause for people
 * @param message the message for an operator with the command that fixes the problem, if there is a
 *     problem
 * @since 1.0
 */
public record PropagationCheck(Verdict verdict, Text seen, Optional<OperatorMessage> message) {

  /** Whether mounts of a plugin are visible to the manager. */
  public enum Verdict {
    /**
     * The plugin uses the same mount as the manager: it runs on the host, and nothing needs to be
     * propagated.
     */
    SAME_MOUNT,
    /** The mounts are shared. */
    SHARED,
    /** On the host, the mount that contains the directory has no propagation. */
    NOT_SHARED,
    /** The host would propagate the mounts, but the plugin was started without propagation. */
    NOT_SHARED_BY_PLUGIN,
    /**
     * At the path where the plugin should see the manager's directory, it sees another directory.
     */
    ELSEWHERE,
    /** The propagation could not be determined. */
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

  /** Checks that all parts are present. */
  public PropagationCheck {
    Objects.requireNonNull(verdict, "verdict");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(message, "message");
  }

  /**
   * Checks only the host, before the plugin is started: whether mounts that a container makes below
   * the manager's directory can be propagated. A plugin that runs on the host does not need
   * propagation.
   */
  public static PropagationCheck host(PluginConfig config) {
    return view(config)
        .map(view -> new Look(config.id(), view).host())
        .orElseGet(PropagationCheck::notNeeded);
  }

  /**
   * Checks only the host.
   *
   * @param plugin the plugin that will mount volumes in the directory
   * @param root the manager's directory
   * @param seen the path of the same directory as the plugin sees it
   */
  public static PropagationCheck host(PluginId plugin, MountPath root, PluginPath seen) {
    return new Look(plugin, new PathView(root, seen)).host();
  }

  /**
   * Checks a running plugin.
   *
   * @param process the id of the plugin's process, as this process sees it; reading the mounts of
   *     that process requires the same user, or root
   */
  public static PropagationCheck plugin(PluginConfig config, long process) {
    return view(config)
        .map(view -> new Look(config.id(), view).plugin(process))
        .orElseGet(PropagationCheck::notNeeded);
  }

  /** Returns the directory in which a plugin mounts; empty if it mounts nothing. */
  private static Optional<PathView> view(PluginConfig config) {
    return config
        .volumeRoot()
        .filter(root -> config.roles().contains(PluginRole.NODE))
        .map(
            root ->
                new PathView(
                    MountPath.of(root),
                    config.seesVolumeRootAt().orElseGet(() -> PluginPath.of(root.toString()))));
  }

  private static PropagationCheck notNeeded() {
    return new PropagationCheck(
        Verdict.NOT_NEEDED, new Text("the plugin mounts nothing"), Optional.empty());
  }

  /** Returns whether no problem is known. */
  public boolean isGood() {
    return message.isEmpty();
  }

  /**
   * Determines from the mount tables whether the mounts of a plugin reach this host.
   *
   * @param plugin the plugin
   * @param view the manager's directory, with its path on this host and in the plugin
   */
  private record Look(PluginId plugin, PathView view) {

    /** Returns whether any container can propagate mounts below the directory. */
    PropagationCheck host() {
      try {
        return MountTable.system()
            .list()
            .holding(view.host())
            .map(this::host)
            .orElseGet(() -> unknown("no known mount contains " + view.host()));
      } catch (MountException failed) {
        return unknown(String.valueOf(failed.getMessage()));
      }
    }

    private PropagationCheck host(MountRecord mount) {
      String at = "the mount at " + mount.path();
      if (mount.propagation().sends()) {
        return good(Verdict.SHARED, at + " is " + mount.propagation());
      }
      return bad(
          Verdict.NOT_SHARED,
          at
              + ", which contains it, is "
              + mount.propagation()
              + ", so what a plugin mounts in a container never appears here",
          "Run '" + command(mount) + "' on the host, then restart the plugin");
    }

    private static String command(MountRecord mount) {
      String path = mount.path().toString();
      boolean isPlain = path.matches("[-+./:=@\\w]+");
      return "mount --make-rshared " + (isPlain ? path : "'" + path.replace("'", "'\\''") + "'");
    }

    /** Returns whether mounts of this process below the directory appear on the host. */
    PropagationCheck plugin(long process) {
      MountTable table = MountTable.system();
      MountSnapshot here;
      MountSnapshot there;
      try {
        here = table.list();
        there = table.listOf(process);
      } catch (MountException failed) {
        return unknown(String.valueOf(failed.getMessage()));
      }
      MountPath seenAt = MountPath.of(view.plugin().value());
      MountRecord mine = here.holding(view.host()).orElse(null);
      MountRecord its = there.holding(seenAt).orElse(null);
      if (mine == null || its == null) {
        return unknown("no known mount contains " + (mine == null ? view.host() : seenAt));
      }
      String bind =
          "Restart the plugin with the directory bound correctly: -v "
              + view.host()
              + ":"
              + view.plugin()
              + ":rshared";
      String says = "the process " + process + " of the plugin ";
      if (!place(mine, view.host()).equals(place(its, seenAt))) {
        return bad(
            Verdict.ELSEWHERE,
            says
                + "sees another directory at "
                + seenAt
                + " than the manager sees at "
                + view.host(),
            bind);
      }
      if (mine.id() == its.id()) {
        return good(Verdict.SAME_MOUNT, says + "has the same mount at " + its.path());
      }
      says += "has the directory in a mount that is " + its.propagation();
      if (reaches(its.propagation(), mine.propagation(), List.of(here, there))) {
        return good(Verdict.SHARED, says);
      }
      if (!mine.propagation().receives()) {
        return host(mine);
      }
      return bad(
          Verdict.NOT_SHARED_BY_PLUGIN,
          says
              + ", and the manager's mount is "
              + mine.propagation()
              + ", so its mounts never appear here",
          bind);
    }

    private static PropagationCheck unknown(String seen) {
      return good(Verdict.UNKNOWN, seen);
    }

    private static PropagationCheck good(Verdict verdict, String seen) {
      return new PropagationCheck(verdict, new Text(seen), Optional.empty());
    }

    /** Returns a bad result, with a message for an operator that says how to fix the problem. */
    private PropagationCheck bad(Verdict verdict, String seen, String next) {
      Subject subject =
          Subject.of("checking whether mounts of plugin '" + plugin + "' can be seen");
      return new PropagationCheck(
          verdict,
          new Text(seen),
          Optional.of(
              Messages.of(
                  OperatorCode.ROOT_NOT_SHARED,
                  subject.at(view.host()),
                  seen,
                  new OperatorMessage.Part(next))));
    }

    /**
     * Returns the directory within the filesystem that a path below a mount shows, if no other
     * mount is in between.
     */
    private static String place(MountRecord mount, MountPath path) {
      KernelText root = mount.root();
      String below = path.toString().substring(mount.path().isRoot() ? 0 : text(mount).length());
      String top = root.toString().equals("/") ? "" : root.toString();
      return mount.device() + " " + top + (below.equals("/") ? "" : below);
    }

    private static String text(MountRecord mount) {
      return mount.path().toString();
    }

    /**
     * Returns whether new mounts below one mount also appear below another mount. They appear below
     * every peer, below every mount that receives from a peer, and so on.
     */
    private static boolean reaches(
        Propagation.Tags from, Propagation.Tags to, List<MountSnapshot> tables) {
      if (from.peerGroup().isEmpty()) {
        return false;
      }
      Set<Integer> sources = new HashSet<>();
      to.peerGroup().ifPresent(sources::add);
      to.master().ifPresent(sources::add);
      boolean isMore = true;
      while (isMore && !sources.contains(from.peerGroup().getAsInt())) {
        isMore = false;
        for (MountSnapshot each : tables) {
          for (MountRecord mount : each.records()) {
            Propagation.Tags tags = mount.propagation();
            isMore |=
                tags.peerGroup().isPresent()
                    && tags.master().isPresent()
                    && sources.contains(tags.peerGroup().getAsInt())
                    && sources.add(tags.master().getAsInt());
          }
        }
      }
      return sources.contains(from.peerGroup().getAsInt());
    }
  }
}
