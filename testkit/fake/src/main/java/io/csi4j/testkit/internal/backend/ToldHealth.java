package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse.StorageBackendHealth;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeCapability.AccessType;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.internal.backend.State.OnNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The health that a test has set for volumes, for volumes on single nodes, and for the storage of
 * each node. Each setting is available in the messages of CSI 1.12 and in those of CSI 1.13.
 */
public final class ToldHealth {

  /** Reason in an entry that is derived from a volume condition. */
  private static final String CONDITION = "VolumeCondition";

  /** The health of one volume, in the messages of CSI 1.12 and in those of 1.13. */
  private record Told(VolumeCondition condition, List<VolumeHealthEntry> entries) {

    static final Told WELL = of(List.of());

    static Told of(List<VolumeHealthEntry> entries) {
      VolumeCondition condition =
          entries.isEmpty()
              ? new VolumeCondition(false, "the volume is well")
              : new VolumeCondition(
                  true,
                  entries.stream()
                      .map(entry -> entry.status() + " " + entry.reason() + ": " + entry.message())
                      .collect(Collectors.joining("; ")));
      return new Told(condition, List.copyOf(entries));
    }

    static Told of(VolumeCondition condition) {
      return new Told(
          condition,
          condition.abnormal()
              ? List.of(
                  VolumeHealthEntry.of(
                      VolumeHealthEntry.Status.DEGRADED,
                      HealthReason.of(CONDITION),
                      condition.message()))
              : List.of());
    }
  }

  private final Map<String, Told> volumes = new ConcurrentHashMap<>();
  private final Map<OnNode, Told> onNodes = new ConcurrentHashMap<>();
  private final Map<NodeId, List<StorageHealthEntry>> backends = new ConcurrentHashMap<>();

  public void volume(VolumeId volume, VolumeCondition condition) {
    volumes.put(volume.value(), Told.of(condition));
  }

  /** Sets the health of a volume. Without entries, the volume is healthy. */
  public void volume(VolumeId volume, List<VolumeHealthEntry> entries) {
    volumes.put(volume.value(), Told.of(entries));
  }

  /**
   * Sets the health of a volume on one node, independently of the health that the controller
   * reports.
   */
  public void onNode(NodeId node, VolumeId volume, List<VolumeHealthEntry> entries) {
    onNodes.put(new OnNode(volume.value(), node.value()), Told.of(entries));
  }

  public void storage(NodeId node, List<StorageHealthEntry> entries) {
    entries.forEach(entry -> entry.capability().ifPresent(ToldHealth::checkStated));
    backends.put(node, List.copyOf(entries));
  }

  private static void checkStated(VolumeCapability capability) {
    if (!capability.accessMode().isStated()) {
      throw new IllegalArgumentException(
          "The health of a storage cannot be set for the access mode "
              + capability.accessMode()
              + ": CSI has no such mode. State the mode, or leave out the capability.");
    }
  }

  /** Removes the settings for one volume, including those for single nodes. */
  void remove(String volume) {
    volumes.remove(volume);
    onNodes.keySet().removeIf(where -> where.what().equals(volume));
  }

  /** Removes all settings. */
  public void clear() {
    volumes.clear();
    onNodes.clear();
    backends.clear();
  }

  /** Returns the condition that a controller reports. */
  io.csi4j.client.internal.proto.VolumeCondition condition(String volume) {
    return message(volumes.getOrDefault(volume, Told.WELL).condition());
  }

  /** Returns the condition that a node reports. */
  io.csi4j.client.internal.proto.VolumeCondition condition(OnNode where) {
    return message(onNode(where).condition());
  }

  /** Returns the health that a controller reports. */
  VolumeHealth health(String volume) {
    return message(volume, volumes.getOrDefault(volume, Told.WELL).entries());
  }

  /** Returns the health that a node reports. */
  VolumeHealth health(OnNode where) {
    return message(where.what(), onNode(where).entries());
  }

  List<StorageBackendHealth> storage(String node) {
    return backends.getOrDefault(NodeId.of(node), List.of()).stream()
        .map(ToldHealth::message)
        .toList();
  }

  private Told onNode(OnNode where) {
    Told here = onNodes.get(where);
    return here == null ? volumes.getOrDefault(where.what(), Told.WELL) : here;
  }

  private static io.csi4j.client.internal.proto.VolumeCondition message(VolumeCondition condition) {
    return io.csi4j.client.internal.proto.VolumeCondition.newBuilder()
        .setAbnormal(condition.abnormal())
        .setMessage(condition.message())
        .build();
  }

  private static VolumeHealth message(String volume, List<VolumeHealthEntry> entries) {
    VolumeHealth.Builder health = VolumeHealth.newBuilder().setVolumeId(volume);
    for (VolumeHealthEntry entry : entries) {
      health
          .addHealthStatusesBuilder()
          .setStatusValue(entry.number())
          .setReason(entry.reason().word())
          .setMessage(entry.message());
    }
    return health.build();
  }

  private static StorageBackendHealth message(StorageHealthEntry entry) {
    StorageBackendHealth.Builder health =
        StorageBackendHealth.newBuilder()
            .setStatusValue(entry.number())
            .setReason(entry.reason().word())
            .setMessage(entry.message());
    entry.capability().map(ToldHealth::message).ifPresent(health::setVolumeCapability);
    return health.build();
  }

  private static io.csi4j.client.internal.proto.VolumeCapability message(
      VolumeCapability capability) {
    var made = io.csi4j.client.internal.proto.VolumeCapability.newBuilder();
    made.getAccessModeBuilder().setMode(Mode.valueOf(capability.accessMode().name()));
    if (capability.accessType() instanceof AccessType.Mount mount) {
      made.getMountBuilder().setFsType(mount.options().fsType().orElse(""));
    } else if (capability.accessType() instanceof AccessType.Block) {
      made.getBlockBuilder();
    }
    return made.build();
  }
}
