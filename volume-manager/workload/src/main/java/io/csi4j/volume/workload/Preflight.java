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
 * All checks of a workload's volumes that need no change, in one call, with all findings together.
 * No plugin is called: checks use the last information from each plugin, and missing information is
 * never an obstacle.
 *
 * <p>Findings always have the same order: runtimes; each volume in the order of the requests, with
 * its plugin, capabilities, access mode, topology, existing mounts and claims; the number of
 * volumes; then each task with its names, destinations and propagation. A clear report is no
 * guarantee, and {@link io.csi4j.volume.node.VolumeMounter#mount} does not require one: it makes
 * its own checks. Immutable and thread-safe.
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

  /** Returns checks for this node, with its state at each call. */
  public static Preflight of(VolumeManager manager) {
    return on(Optional.of(NodeView.of(manager)));
  }

  /**
   * Returns checks for a described node, such as a candidate.
   *
   * @param plugins its plugins; the first instance of each is used
   * @param volumes its volumes; only their number matters
   */
  public static Preflight of(
      Collection<RegisteredPlugin> plugins, Collection<VolumeStatus> volumes) {
    return on(Optional.of(NodeView.of(plugins, volumes)));
  }

  /** Returns the checks that do not depend on a node. */
  public static Preflight anywhere() {
    return on(Optional.empty());
  }

  /**
   * Returns these checks with a decision about mounts that propagate to the host. By default, they
   * are not permitted.
   */
  public Preflight permitting(PropagationPermission decision) {
    return new Preflight(node, decision, claims);
  }

  /**
   * Returns these checks with a check of the claims of the cluster for each volume to mount. By
   * default, claims are not checked.
   *
   * @param whyNot returns why the claim that the mount needs would be refused, such as {@code
   *     ClaimBook.whyNot} of the csi4j-volume-claims module; may block; an exception from it ends
   *     the check
   */
  public Preflight asking(Function<MountRequest, Optional<OperatorMessage>> whyNot) {
    return new Preflight(node, permission, Objects.requireNonNull(whyNot, "whyNot"));
  }

  /** Runs the checks, and changes nothing. */
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
   * @param obstacles the reasons why the workload cannot have its volumes, each with the next step
   * @param remarks possible problems and other useful information
   * @since 1.0
   */
  public record Report(List<OperatorMessage> obstacles, List<OperatorMessage> remarks) {

    /** Copies the lists. */
    public Report {
      obstacles = List.copyOf(obstacles);
      remarks = List.copyOf(remarks);
    }

    /** Whether there are no known obstacles. */
    public boolean isClear() {
      return obstacles.isEmpty();
    }

    /**
     * Returns normally if there are no obstacles.
     *
     * @throws io.csi4j.volume.model.VolumeException with the first obstacle; the others are
     *     suppressed exceptions
     */
    public void orThrow() {
      if (!isClear()) {
        throw PreflightFindings.refusal(obstacles);
      }
    }

    /** Returns all findings as lines of text, obstacles first; empty if there are none. */
    public String text() {
      StringBuilder lines = new StringBuilder();
      obstacles.forEach(each -> lines.append(each.line()).append('\n'));
      remarks.forEach(each -> lines.append(each.line()).append('\n'));
      return lines.toString();
    }
  }
}
