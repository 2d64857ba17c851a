package io.csi4j.client.node;

import io.csi4j.client.CallPolicy;
import io.csi4j.client.CapabilitySet;
import io.csi4j.client.CsiException;
import java.util.function.UnaryOperator;

/**
 * Work on the node where a volume is used.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link CsiException}s. Interrupting the caller cancels the call. Safe for
 * use by many threads, virtual ones too.
 */
public interface NodeService {

  /** Makes a volume available on the node, once, for all its later publishes. */
  void stageVolume(NodeStageVolumeRequest request);

  /** Undoes the staging. A volume that is not staged there counts as unstaged. */
  void unstageVolume(NodeUnstageVolumeRequest request);

  /** Makes a volume appear at a path. */
  void publishVolume(NodePublishVolumeRequest request);

  /** Makes a volume disappear from a path. One that is not there counts as gone. */
  void unpublishVolume(NodeUnpublishVolumeRequest request);

  /** Reads how much of a volume is in use, and whether it is well. */
  VolumeStats getVolumeStats(NodeGetVolumeStatsRequest request);

  /** Grows the filesystem or device on the node. */
  NodeExpandVolumeResult expandVolume(NodeExpandVolumeRequest request);

  /** Reads what the node service can do. */
  CapabilitySet<NodeCapability> getCapabilities();

  /**
   * Reads how the storage system knows this node. Only plugins that attach volumes have to serve
   * it.
   */
  NodeInfo getInfo();

  /** The same service, not blocking. */
  AsyncNodeService async();

  /** The same service, with the policy of every call changed by {@code change}. */
  NodeService with(UnaryOperator<CallPolicy> change);
}
