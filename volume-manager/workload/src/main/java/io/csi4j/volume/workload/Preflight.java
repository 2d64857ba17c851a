package io.csi4j.volume.workload;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.workload.VolumeCheck.NodeView;
import java.util.Collection;
import java.util.Optional;

/**
 * Every check of what a workload wants that needs no change, in one call and with all findings at
 * once. No plugin is called: plugins are judged by what they said of themselves last, and the
 * unknown stands in no one's way.
 *
 * <p>Findings come in the same order each time: runtimes; each volume in the order of the requests
 * with its plugin, capabilities, access mode, place, and what is mounted; how many volumes; then
 * each task with its names, destinations and propagation. A clear report is no promise, and {@link
 * io.csi4j.volume.node.VolumeMounter#mount} does not ask for one: what matters there it finds by
 * itself. Does not change, and is safe for many threads.
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

  private Preflight(Optional<NodeView> node, PropagationPermission permission) {
    this.node = node;
    this.permission = permission;
  }

  /** Checks for this node, as it is at each call. */
  public static Preflight of(VolumeManager manager) {
    return new Preflight(Optional.of(NodeView.of(manager)), PropagationPermission.nobody());
  }

  /**
   * Returns checks for a node that was described, such as a candidate.
   *
   * @param plugins its plugins; the first instance of each serves
   * @param volumes its volumes; only their number counts
   */
  public static Preflight of(
      Collection<RegisteredPlugin> plugins, Collection<VolumeStatus> volumes) {
    return new Preflight(
        Optional.of(NodeView.of(plugins, volumes)), PropagationPermission.nobody());
  }

  /** Checks what does not depend on the node. */
  public static Preflight anywhere() {
    return new Preflight(Optional.empty(), PropagationPermission.nobody());
  }

  /** Returns the checks with a decision about mounts that reach the host. Default: they may not. */
  public Preflight permitting(PropagationPermission decision) {
    return new Preflight(node, decision);
  }

  /** Checks, and changes nothing. */
  public PreflightReport check(WorkloadVolumes wanted) {
    PreflightFindings found = new PreflightFindings();
    TaskCheck tasks = new TaskCheck(wanted, permission, found);
    tasks.checkRuntimes();
    new VolumeCheck(node, found).check(wanted);
    wanted.tasks().forEach(tasks::check);
    return new PreflightReport(found.obstacles(), found.remarks());
  }
}
