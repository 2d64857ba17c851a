package io.csi4j.volume.plugin.launch;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.PropagationTags;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PathView;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.launch.PropagationCheck.Verdict;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads from tables of mounts whether those of a plugin reach this host. Mounts nothing. */
final class PropagationLook {

  private final MountTable table;

  /** On the mounts that this process sees in this table. */
  public PropagationLook(MountTable table) {
    this.table = table;
  }

  /**
   * The result of a look.
   *
   * @param verdict whether it is well
   * @param seen the observation, as a clause
   * @param mend what is to be done on the host; empty if nothing is
   */
  public record Found(Verdict verdict, String seen, Optional<String> mend) {}

  /** Whether any container can share the mounts below a directory. */
  public Found host(MountPath root) {
    return table
        .list()
        .holding(root)
        .map(PropagationLook::host)
        .orElseGet(() -> unknown("no mount is known that holds " + root));
  }

  private static Found host(MountRecord mount) {
    if (mount.propagation().sends()) {
      return new Found(
          Verdict.SHARED,
          "the mount at " + mount.path() + " is " + mount.propagation(),
          Optional.empty());
    }
    return new Found(
        Verdict.NOT_SHARED,
        "the mount at "
            + mount.path()
            + ", which holds it, is "
            + mount.propagation()
            + ", so what a plugin mounts in a container never appears here",
        Optional.of(command(mount)));
  }

  private static String command(MountRecord mount) {
    String path = mount.path().toString();
    boolean isPlain = path.matches("[-+./:=@\\w]+");
    return "mount --make-rshared " + (isPlain ? path : "'" + path.replace("'", "'\\''") + "'");
  }

  /** Whether what this process mounts below the directory appears below it on the host. */
  public Found plugin(PathView view, long process) {
    MountSnapshot here = table.list();
    MountSnapshot there;
    try {
      there = table.listOf(process);
    } catch (MountException failed) {
      return unknown(String.valueOf(failed.getMessage()));
    }
    MountPath seenAt = MountPath.of(view.plugin().value());
    MountRecord mine = here.holding(view.host()).orElse(null);
    MountRecord its = there.holding(seenAt).orElse(null);
    if (mine == null || its == null) {
      return unknown("no mount is known that holds " + (mine == null ? view.host() : seenAt));
    }
    String says = "the process " + process + " of the plugin ";
    if (!place(mine, view.host()).equals(place(its, seenAt))) {
      return new Found(
          Verdict.ELSEWHERE,
          says + "has at " + seenAt + " another directory than the manager has at " + view.host(),
          Optional.empty());
    }
    if (mine.id() == its.id()) {
      return new Found(
          Verdict.SAME_MOUNT, says + "has the same mount at " + its.path(), Optional.empty());
    }
    if (reaches(its.propagation(), mine.propagation(), List.of(here, there))) {
      return new Found(
          Verdict.SHARED,
          says + "has the directory in a mount that is " + its.propagation(),
          Optional.empty());
    }
    if (!mine.propagation().receives()) {
      return host(mine);
    }
    return new Found(
        Verdict.NOT_SHARED_BY_PLUGIN,
        says
            + "has the directory in a mount that is "
            + its.propagation()
            + ", and the one here is "
            + mine.propagation()
            + ", so what it mounts never appears here",
        Optional.empty());
  }

  /**
   * Returns the message for an operator, with the command that mends it; nothing if nothing is
   * wrong.
   */
  public static Optional<OperatorMessage> message(PluginId plugin, PathView view, Found found) {
    String bind = "-v " + view.host() + ":" + view.plugin() + ":rshared";
    Optional<String> next =
        switch (found.verdict()) {
          case NOT_SHARED ->
              found
                  .mend()
                  .map(command -> "Run '" + command + "' on the host, then start the plugin anew");
          case NOT_SHARED_BY_PLUGIN, ELSEWHERE ->
              Optional.of(
                  "Start the plugin anew with the directory bound as it has to be: " + bind);
          case SAME_MOUNT, SHARED, UNKNOWN, NOT_NEEDED -> Optional.empty();
        };
    Subject subject = Subject.of("checking whether mounts of plugin '" + plugin + "' can be seen");
    return next.map(
        clause ->
            Messages.of(
                OperatorCode.ROOT_NOT_SHARED,
                subject.at(view.host()),
                found.seen(),
                new OperatorMessage.Part(clause)));
  }

  private static Found unknown(String seen) {
    return new Found(Verdict.UNKNOWN, seen, Optional.empty());
  }

  /** Which directory of which filesystem a path is, if nothing is mounted between. */
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
   * Whether mounts below one mount appear below another: a peer has them, and so has a mount that
   * receives from a peer, and so on.
   */
  private static boolean reaches(
      PropagationTags from, PropagationTags to, List<MountSnapshot> tables) {
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
          PropagationTags tags = mount.propagation();
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
