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
 * <p>Every call blocks until it has succeeded or failed permanently; the client retries as often as
 * the policy of the call allows. A failed call throws a {@link io.csi4j.client.model.CsiException}.
 * Interrupting the caller cancels the call. Safe for use by many threads, including virtual
 * threads.
 *
 * @since 1.0
 */
public interface NodeService {

  /** Makes a volume available on the node, once for all later publish calls. */
  void stageVolume(NodeStageVolumeRequest request);

  /** Reverts the staging. Succeeds if the volume is not staged there. */
  void unstageVolume(NodeUnstageVolumeRequest request);

  /** Makes a volume accessible at a path. */
  void publishVolume(NodePublishVolumeRequest request);

  /** Removes a volume from a path. Succeeds if the volume is not published there. */
  void unpublishVolume(NodeUnpublishVolumeRequest request);

  /** Reads the usage of a volume, and its condition. */
  VolumeStats getVolumeStats(NodeGetVolumeStatsRequest request);

  /**
   * Reads all health problems of a volume, as seen from this node. The plugin may have failed to
   * stage or publish the volume.
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

  /** Returns a copy of this service that applies {@code change} to the policy of every call. */
  NodeService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * The node service without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. To cancel the call, cancel the stage: {@code
   * stage.toCompletableFuture().cancel(true)}. Dependent actions of a stage run on the callback
   * threads of the connection, never on its I/O thread.
   */
  interface Async {

    /** Makes a volume available on the node, once for all later publish calls. */
    CompletionStage<@Nullable Void> stageVolume(NodeStageVolumeRequest request);

    /** Reverts the staging. Succeeds if the volume is not staged there. */
    CompletionStage<@Nullable Void> unstageVolume(NodeUnstageVolumeRequest request);

    /** Makes a volume accessible at a path. */
    CompletionStage<@Nullable Void> publishVolume(NodePublishVolumeRequest request);

    /** Removes a volume from a path. Succeeds if the volume is not published there. */
    CompletionStage<@Nullable Void> unpublishVolume(NodeUnpublishVolumeRequest request);

    /** Reads the usage of a volume, and its condition. */
    CompletionStage<VolumeStats> getVolumeStats(NodeGetVolumeStatsRequest request);

    /**
     * Reads all health problems of a volume, as seen from this node. The plugin may have failed to
     * stage or publish the volume.
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

    /** The id of the node in all calls to this plugin. */
    NodeId nodeId();

    /**
     * Maximum number of volumes that may be published on the node; empty if no limit is reported.
     */
    OptionalLong maxVolumesPerNode();

    /** The place of the node; empty if the plugin reports no topology. */
    Optional<Topology> accessibleTopology();
  }

  /**
   * All problems that a plugin reports about its storage, as seen from a node.
   *
   * @since 1.0
   */
  @Experimental
  interface StorageHealth {

    /**
     * The problems without duplicates, in the plugin's order. Several problems may exist at the
     * same time.
     */
    List<StorageHealthEntry> entries();

    /** Whether the plugin reports no problem. */
    default boolean isWell() {
      return entries().isEmpty();
    }
  }
}
