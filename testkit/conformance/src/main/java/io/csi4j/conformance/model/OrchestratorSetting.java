package io.csi4j.conformance.model;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiFunction;

/**
 * The environment of an orchestrator under test: one plugin, one node.
 *
 * <p>The plugin sees the same paths as the orchestrator. The plugin mounts nothing: where a real
 * one would mount, it creates a plain directory, or a file for a block device. An orchestrator that
 * checks the mount table after a call must skip that check here.
 *
 * @param controller the endpoint of the plugin's controller, if it has one
 * @param node the endpoint of its node service; often the same socket
 * @param directory an empty directory for staging paths, target paths and the files of the
 *     orchestrator; the path is short
 * @param callDeadline the deadline that the orchestrator should use for one call, if it is
 *     configurable: a shorter deadline makes the suite faster
 * @param secrets returns the secrets for a call about a volume; see {@link #secrets(VolumeId,
 *     CsiOperation)}
 * @param takesWorkloadFacts whether the plugin expects data about the workload when a volume is
 *     published, under the keys of a kubelet ({@code csi.storage.k8s.io/pod.name} and the like). An
 *     orchestrator normally finds this in its configuration of the plugin; one that never sends
 *     such data ignores it
 * @since 1.0
 */
public record OrchestratorSetting(
    CsiEndpoint controller,
    CsiEndpoint node,
    Path directory,
    Duration callDeadline,
    BiFunction<VolumeId, CsiOperation, Secrets> secrets,
    boolean takesWorkloadFacts) {

  /**
   * Returns the secrets for this call about this volume; empty if it needs none. An orchestrator
   * should look them up again for each call, and store none.
   */
  public Secrets secrets(VolumeId volume, CsiOperation operation) {
    return secrets.apply(volume, operation);
  }
}
