package io.csi4j.volume.workload;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.workload.VolumeCheck.NodeView;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Every check of what a workload wants that needs no change, in one call and with all findings at
 * once. No plugin is called: plugins are judged by what they said of themselves last, and the
 * unknown stands in no one's way.
 *
 * <p>Findings come in the same order each time: runtimes; each volume in the order of the requests
 * with its plugin, capabilities, access mode, place, what is mounted, and its claims; how many
 * volumes; then each task with its names, destinations and propagation. A clear report is no
 * promise, and {@link io.csi4j.volume.node.VolumeMounter#mount} does not ask for one: what matters
 * there it finds by itself. Does not change, and is safe for many threads.
 *
 * <pre>{@code
 * Preflight.of(manager).check(wanted).obstacles().stream() // calls no plugin
 *     .map(obstacle -> obstacle.line())
 *     .forEach(log);
 * }</pre>
 *
 * @since 1.0
 */
public final class Preflight {

  private final Optional<NodeView> node;
  private final PropagationPermission permission;
  private final Function<MountRequest, Optional<OperatorMessage>> claims;

  private Preflight(
      Optional<NodeView> node,
      PropagationPermission permission,
      Function<MountRequest, Optional<OperatorMessage>> claims) {
    this.node = node;
    this.permission = permission;
    this.claims = claims;
  }

  private static Preflight on(Optional<NodeView> node) {
    return new Preflight(node, PropagationPermission.nobody(), request -> Optional.empty());
  }

  /** Checks for this node, as it is at each call. */
  public static Preflight of(VolumeManager manager) {
    return on(Optional.of(NodeView.of(manager)));
  }

  /**
   * Returns checks for a node that was described, such as a candidate.
   *
   * @param plugins its plugins; the first instance of each serves
   * @param volumes its volumes; only their number counts
   */
  public static Preflight of(
      Collection<RegisteredPlugin> plugins, Collection<VolumeStatus> volumes) {
    return on(Optional.of(NodeView.of(plugins, volumes)));
  }

  /** Checks what does not depend on the node. */
  public static Preflight anywhere() {
    return on(Optional.empty());
  }

  /** Returns the checks with a decision about mounts that reach the host. Default: they may not. */
  public Preflight permitting(PropagationPermission decision) {
    return new Preflight(node, decision, claims);
  }

  /**
   * Returns the checks with a question to the claims of the cluster, for each volume that is to be
   * mounted. Default: claims are not asked.
   *
   * @param whyNot says why the claim that the mount needs would be refused, such as {@code
   *     ClaimBook.whyNot} of the csi4j-volume-claims module; may block, and what it throws ends the
   *     check
   */
  public Preflight asking(Function<MountRequest, Optional<OperatorMessage>> whyNot) {
    return new Preflight(node, permission, Objects.requireNonNull(whyNot, "whyNot"));
  }

  /** Checks, and changes nothing. */
  public Report check(WorkloadVolumes wanted) {
    PreflightFindings found = new PreflightFindings();
    TaskCheck tasks = new TaskCheck(wanted, permission, found);
    tasks.checkRuntimes();
    new VolumeCheck(node, claims, found).check(wanted);
    wanted.tasks().forEach(tasks::check);
    return new Report(found.obstacles(), found.remarks());
  }

  /**
   * The findings of a check.
   *
   * @param obstacles why the workload cannot have its volumes; each says what to do
   * @param remarks what may go wrong, or is worth to know
   * @since 1.0
   */
  public record Report(List<OperatorMessage> obstacles, List<OperatorMessage> remarks) {

    /** Copies the lists. */
    public Report {
      obstacles = List.copyOf(obstacles);
      remarks = List.copyOf(remarks);
    }

    /** Whether nothing stands in the way, as far as it can be known before. */
    public boolean isClear() {
      return obstacles.isEmpty();
    }

    /**
     * Goes on if nothing stands in the way.
     *
     * @throws io.csi4j.volume.model.VolumeException with the first obstacle; the others are
     *     suppressed ones
     */
    public void orThrow() {
      if (!isClear()) {
        throw PreflightFindings.refusal(obstacles);
      }
    }

    /** All in lines for people, obstacles first; empty if there is nothing to say. */
    public String text() {
      StringBuilder lines = new StringBuilder();
      obstacles.forEach(each -> lines.append(each.line()).append('\n'));
      remarks.forEach(each -> lines.append(each.line()).append('\n'));
      return lines.toString();
    }
  }
}
