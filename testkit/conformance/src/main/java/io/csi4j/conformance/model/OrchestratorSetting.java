package io.csi4j.conformance.model;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BiFunction;

/**
 * Where an orchestrator under test finds itself: one plugin, one node.
 *
 * <p>The plugin sees the same paths as the orchestrator. It mounts nothing: where a real one would
 * mount, it makes a plain directory, or a file for a block device. An orchestrator that looks at
 * the mount table after a call leaves that out here.
 *
 * @param controller where the plugin's controller listens, if it has one
 * @param node where its node service listens; often the same socket
 * @param directory an empty directory for staging paths, target paths and the files of the
 *     orchestrator; the path is short
 * @param callDeadline how long the orchestrator is to wait for one call, if that can be set: the
 *     shorter, the faster the suite
 * @param secrets the secrets for a call about a volume; see {@link #secrets(VolumeId,
 *     CsiOperation)}
 * @param takesWorkloadFacts whether the plugin wants to be told of the workload where a volume is
 *     published, in the keys of a kubelet ({@code csi.storage.k8s.io/pod.name} and the like). An
 *     orchestrator learns that from its own configuration of a plugin; one that tells nothing
 *     leaves it out
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
   * looks them up for each call again, and keeps none itself.
   */
  public Secrets secrets(VolumeId volume, CsiOperation operation) {
    return secrets.apply(volume, operation);
  }
}
