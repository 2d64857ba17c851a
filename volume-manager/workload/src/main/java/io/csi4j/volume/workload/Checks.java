package io.csi4j.volume.workload;

import java.util.Optional;

/**
 * All checks before a workload gets its volumes, in their order.
 *
 * @param node the node on which it is to run, if that is known
 * @param permission decides about mounts that reach the host
 */
record Checks(Optional<NodeView> node, PropagationPermission permission) {

  /** Returns the findings. */
  public PreflightFindings of(WorkloadVolumes wanted) {
    PreflightFindings found = new PreflightFindings();
    RuntimeCheck.check(wanted, found);
    node.ifPresentOrElse(
        there -> new VolumeCheck(there, found).check(wanted),
        () -> VolumeCheck.checkSources(wanted, found));
    new TaskCheck(wanted, permission, found).check();
    return found;
  }
}
