package io.csi4j.conformance.model;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiFunction;

/**
 * The environment of an orchestrator under test, with one plugin and one node.
 *
 * <p>The plugin sees the same paths as the orchestrator. The plugin mounts nothing: instead of a
 * mount, it creates a plain directory, or a file for a block device. If the orchestrator checks the
 * mount table after a call, it must skip that check in this environment.
 *
 * @param controller the endpoint of the plugin's controller, if it has one
 * @param node the endpoint of the plugin's node service; often the same socket
 * @param directory a directory with a short path, for staging paths, target paths and the files of
 *     the orchestrator; empty at the first start
 * @param callDeadline the deadline that the orchestrator should use for one call, if its deadline
 *     is configurable; a short deadline makes the suite fast
 * @param secrets a function that returns the secrets for an operation on a volume; see {@link
 *     #secrets(VolumeId, CsiOperation)}
 * @param takesWorkloadFacts whether the plugin expects data about the workload when a volume is
 *     published, under the keys of a kubelet ({@code csi.storage.k8s.io/pod.name} and others). An
 *     orchestrator normally reads this value from its configuration of the plugin. An orchestrator
 *     that never sends such data ignores the value
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
   * Returns the secrets for this operation on this volume; empty if the call needs no secrets. An
   * orchestrator should read the secrets again for each call, and should not store them.
   */
  public Secrets secrets(VolumeId volume, CsiOperation operation) {
    return secrets.apply(volume, operation);
  }
}
