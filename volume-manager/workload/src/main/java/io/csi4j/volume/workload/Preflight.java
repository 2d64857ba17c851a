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
 * Makes all checks of a workload's volumes that are possible without a change, and returns all
 * findings together. No plugin is called: the checks use the last information that each plugin has
 * reported. Missing information never counts as an obstacle.
 *
 * <p>Findings always have the same order. First come the findings about runtimes. Then follow the
 * findings about each volume, in the order of the requests: its plugin, capabilities, access mode,
 * topology, existing mounts and claims. Then follow the number of volumes, and finally the names,
 * destinations and propagation in each task. A clear report does not guarantee that a mount
 * succeeds. {@link io.csi4j.volume.node.VolumeMounter#mount} makes its own checks, so calling this
 * class first is optional. Immutable and thread-safe.
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

  /** Returns checks for the node of a manager. Each check uses the current state of the node. */
  public static Preflight of(VolumeManager manager) {
    return on(Optional.of(NodeView.of(manager)));
  }

  /**
   * Returns checks for a node that is only described, such as a candidate for scheduling.
   *
   * @param plugins the plugins of the node; the first instance of each plugin is used
   * @param volumes the volumes on the node, which count towards its volume limits
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
   * Returns these checks with a decision about mounts that propagate to the host. By default, such
   * mounts are not permitted.
   */
  public Preflight permitting(PropagationPermission decision) {
    return new Preflight(node, decision, claims);
  }

  /**
   * Returns these checks with an additional check of the cluster's claims for each volume. By
   * default, claims are not checked.
   *
   * @param whyNot returns why the claim that a mount needs would be refused, such as {@code
   *     ClaimBook.whyNot} of the module csi4j-volume-claims. The function may block. If it throws,
   *     the exception ends the check
   */
  public Preflight asking(Function<MountRequest, Optional<OperatorMessage>> whyNot) {
    return new Preflight(node, permission, Objects.requireNonNull(whyNot, "whyNot"));
  }

  /** Makes all checks, without changing anything. */
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
   * @param obstacles the reasons why the workload cannot use its volumes, each with the next step
   * @param remarks possible problems and other useful information
   * @since 1.0
   */
  public record Report(List<OperatorMessage> obstacles, List<OperatorMessage> remarks) {

    /** Copies the lists. */
    public Report {
      obstacles = List.copyOf(obstacles);
      remarks = List.copyOf(remarks);
    }

    /** Whether the report has no obstacles. */
    public boolean isClear() {
      return obstacles.isEmpty();
    }

    /**
     * Throws an exception if the report has obstacles.
     *
     * @throws io.csi4j.volume.model.VolumeException for the first obstacle, with all other
     *     obstacles as suppressed exceptions
     */
    public void orThrow() {
      if (!isClear()) {
        throw PreflightFindings.refusal(obstacles);
      }
    }

    /**
     * Returns all findings as lines of text, obstacles first; empty if the report has no findings.
     */
    public String text() {
      StringBuilder lines = new StringBuilder();
      obstacles.forEach(each -> lines.append(each.line()).append('\n'));
      remarks.forEach(each -> lines.append(each.line()).append('\n'));
      return lines.toString();
    }
  }
}
