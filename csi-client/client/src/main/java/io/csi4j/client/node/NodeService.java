package io.csi4j.client.node;

import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeHealthReport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Calls on the node where a volume is used.
 *
 * <p>Every call blocks until it has succeeded or failed permanently, with the retries that its
 * policy allows; failures are {@link io.csi4j.client.model.CsiException}s. Interrupting the caller
 * cancels the call. Safe for use by many threads, virtual ones too.
 *
 * @since 1.0
 */
public interface NodeService {

  /** Makes a volume available on the node, once, for all its later publishes. */
  void stageVolume(NodeStageVolumeRequest request);

  /** Reverts the staging. Succeeds if the volume is not staged there. */
  void unstageVolume(NodeUnstageVolumeRequest request);

  /** Makes a volume appear at a path. */
  void publishVolume(NodePublishVolumeRequest request);

  /** Makes a volume disappear from a path. Succeeds if the volume is not there. */
  void unpublishVolume(NodeUnpublishVolumeRequest request);

  /** Reads the usage of a volume, and its condition. */
  VolumeStats getVolumeStats(NodeGetVolumeStatsRequest request);

  /**
   * Reads all health problems of a volume, as seen from this node; also of a volume whose staging
   * or publishing was only attempted.
   */
  @Experimental
  VolumeHealthReport getVolumeHealth(NodeGetVolumeHealthRequest request);

  /** Reads all problems of the storage, as seen from this node. */
  @Experimental
  StorageHealth getStorageHealth(NodeGetStorageHealthRequest request);

  /** Grows the filesystem or device on the node. */
  ExpandVolumeResult expandVolume(NodeExpandVolumeRequest request);

  /** Reads the capabilities of the node service. */
  CapabilitySet<NodeCapability> getCapabilities();

  /**
   * Reads the identity of this node in the storage system. Only plugins that attach volumes must
   * serve this call.
   */
  NodeInfo getInfo();

  /** Returns the non-blocking form of this service. */
  Async async();

  /** Returns the service with the policy of every call changed by {@code change}. */
  NodeService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The node service without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the
   * call. Dependent actions of a stage run on the callback threads of the connection, never on its
   * I/O thread.
   */
  interface Async {

    /** Makes a volume available on the node, once, for all its later publishes. */
    CompletionStage<@Nullable Void> stageVolume(NodeStageVolumeRequest request);

    /** Reverts the staging. Succeeds if the volume is not staged there. */
    CompletionStage<@Nullable Void> unstageVolume(NodeUnstageVolumeRequest request);

    /** Makes a volume appear at a path. */
    CompletionStage<@Nullable Void> publishVolume(NodePublishVolumeRequest request);

    /** Makes a volume disappear from a path. Succeeds if the volume is not there. */
    CompletionStage<@Nullable Void> unpublishVolume(NodeUnpublishVolumeRequest request);

    /** Reads the usage of a volume, and its condition. */
    CompletionStage<VolumeStats> getVolumeStats(NodeGetVolumeStatsRequest request);

    /**
     * Reads all health problems of a volume, as seen from this node; also of a volume whose staging
     * or publishing was only attempted.
     */
    @Experimental
    CompletionStage<VolumeHealthReport> getVolumeHealth(NodeGetVolumeHealthRequest request);

    /** Reads all problems of the storage, as seen from this node. */
    @Experimental
    CompletionStage<StorageHealth> getStorageHealth(NodeGetStorageHealthRequest request);

    /** Grows the filesystem or device on the node. */
    CompletionStage<ExpandVolumeResult> expandVolume(NodeExpandVolumeRequest request);

    /** Reads the capabilities of the node service. */
    CompletionStage<CapabilitySet<NodeCapability>> getCapabilities();

    /**
     * Reads the identity of this node in the storage system. Only plugins that attach volumes must
     * serve this call.
     */
    CompletionStage<NodeInfo> getInfo();
  }

  /**
   * The result of growing a filesystem or device on a node.
   *
   * @since 1.0
   */
  interface ExpandVolumeResult {

    /** The new size; empty if the plugin does not report it. */
    OptionalLong capacityBytes();
  }

  /**
   * The identity of a node in the storage system.
   *
   * @since 1.0
   */
  interface NodeInfo {

    /** The id of the node, for all calls to this plugin. */
    NodeId nodeId();

    /**
     * Maximum number of volumes that may be published on the node; empty if no limit is reported.
     */
    OptionalLong maxVolumesPerNode();

    /** The place of the node; empty if the plugin reports no topology. */
    Optional<Topology> accessibleTopology();
  }

  /**
   * All problems of its storage that a plugin reports, as seen from a node.
   *
   * @since 1.0
   */
  @Experimental
  interface StorageHealth {

    /**
     * The problems without duplicates, in the plugin's order; several may exist at the same time.
     */
    List<StorageHealthEntry> entries();

    /** Whether the plugin reports no problem. */
    default boolean isWell() {
      return entries().isEmpty();
    }
  }
}
