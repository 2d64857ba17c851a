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
 * Work on the node where a volume is used.
 *
 * <p>Every call blocks until it has succeeded or failed for good, with the retries that its policy
 * allows; failures are {@link io.csi4j.client.model.CsiException}s. Interrupting the caller cancels
 * the call. Safe for use by many threads, virtual ones too.
 *
 * @since 1.0
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

  /**
   * Reads everything that is wrong with a volume, as seen from this node; also of a volume whose
   * staging or publishing was only tried.
   */
  @Experimental
  VolumeHealthReport getVolumeHealth(NodeGetVolumeHealthRequest request);

  /** Reads everything that is wrong with the storage, as seen from this node. */
  @Experimental
  StorageHealth getStorageHealth(NodeGetStorageHealthRequest request);

  /** Grows the filesystem or device on the node. */
  ExpandVolumeResult expandVolume(NodeExpandVolumeRequest request);

  /** Reads what the node service can do. */
  CapabilitySet<NodeCapability> getCapabilities();

  /**
   * Reads how the storage system knows this node. Only plugins that attach volumes have to serve
   * it.
   */
  NodeInfo getInfo();

  /** Returns the service that does not block. */
  Async async();

  /** Returns the service with the policy of every call changed by {@code change}. */
  NodeService with(UnaryOperator<CallPolicy.Builder> change);

  /**
   * Work on the node where a volume is used. Without blocking.
   *
   * <p>A stage fails with the {@link io.csi4j.client.model.CsiException} that the blocking call
   * would throw. Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the
   * call. Actions that hang on a stage run on the callback threads of the connection, never on its
   * I/O thread.
   */
  interface Async {

    /** Makes a volume available on the node, once, for all its later publishes. */
    CompletionStage<@Nullable Void> stageVolume(NodeStageVolumeRequest request);

    /** Undoes the staging. A volume that is not staged there counts as unstaged. */
    CompletionStage<@Nullable Void> unstageVolume(NodeUnstageVolumeRequest request);

    /** Makes a volume appear at a path. */
    CompletionStage<@Nullable Void> publishVolume(NodePublishVolumeRequest request);

    /** Makes a volume disappear from a path. One that is not there counts as gone. */
    CompletionStage<@Nullable Void> unpublishVolume(NodeUnpublishVolumeRequest request);

    /** Reads how much of a volume is in use, and whether it is well. */
    CompletionStage<VolumeStats> getVolumeStats(NodeGetVolumeStatsRequest request);

    /**
     * Reads everything that is wrong with a volume, as seen from this node; also of a volume whose
     * staging or publishing was only tried.
     */
    @Experimental
    CompletionStage<VolumeHealthReport> getVolumeHealth(NodeGetVolumeHealthRequest request);

    /** Reads everything that is wrong with the storage, as seen from this node. */
    @Experimental
    CompletionStage<StorageHealth> getStorageHealth(NodeGetStorageHealthRequest request);

    /** Grows the filesystem or device on the node. */
    CompletionStage<ExpandVolumeResult> expandVolume(NodeExpandVolumeRequest request);

    /** Reads what the node service can do. */
    CompletionStage<CapabilitySet<NodeCapability>> getCapabilities();

    /**
     * Reads how the storage system knows this node. Only plugins that attach volumes have to serve
     * it.
     */
    CompletionStage<NodeInfo> getInfo();
  }

  /**
   * A filesystem or device grown on a node.
   *
   * @since 1.0
   */
  interface ExpandVolumeResult {

    /** Its size now; nothing if the plugin does not say. */
    OptionalLong capacityBytes();
  }

  /**
   * How the storage system knows a node.
   *
   * @since 1.0
   */
  interface NodeInfo {

    /** The id of the node, for all calls to this plugin. */
    NodeId nodeId();

    /** How many volumes may be published there; nothing if no limit is stated. */
    OptionalLong maxVolumesPerNode();

    /** Where the node is; nothing if the plugin knows no topology. */
    Optional<Topology> accessibleTopology();
  }

  /**
   * Everything that a plugin says is wrong with its storage, as seen from a node.
   *
   * @since 1.0
   */
  @Experimental
  interface StorageHealth {

    /** Each fault once, in the plugin's order; several may hold at the same time. */
    List<StorageHealthEntry> entries();

    /** Whether the plugin says that nothing is wrong. */
    default boolean isWell() {
      return entries().isEmpty();
    }
  }
}
