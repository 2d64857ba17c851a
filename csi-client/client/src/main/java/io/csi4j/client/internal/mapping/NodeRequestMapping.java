package io.csi4j.client.internal.mapping;

import io.csi4j.client.internal.rules.KnownEntries;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.TextEntries;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.node.NodeExpandVolumeRequest;
import io.csi4j.client.node.NodeGetStorageHealthRequest;
import io.csi4j.client.node.NodeGetVolumeHealthRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Converts the requests of the node service into messages, with secrets in clear text.
 *
 * <p>A few entries are added one by one, because adding a map creates objects, even if the map is
 * empty. Many entries are added as a map, so that the map of the message is allocated in its final
 * size.
 */
public final class NodeRequestMapping {

  /** Number of entries up to which the map of a message does not grow. */
  private static final int FEW = 12;

  private NodeRequestMapping() {}

  /** Adds an entry to a message of this kind. */
  private interface Put<B> {
    void put(B message, String key, String value);
  }

  /**
   * Adds all entries to a message. The functions receive the message as an argument, because a
   * function that captures the message would be a new object for each request.
   */
  private static <B> void put(
      B message, Map<String, String> entries, Put<B> one, BiConsumer<B, Map<String, String>> all) {
    if (entries.size() > FEW) {
      all.accept(message, TextEntries.toRead(entries));
    } else if (!entries.isEmpty()) {
      entries.forEach((key, value) -> one.put(message, key, value));
    }
  }

  public static io.csi4j.client.internal.proto.NodeStageVolumeRequest toProto(
      NodeStageVolumeRequest request) {
    var out =
        io.csi4j.client.internal.proto.NodeStageVolumeRequest.newBuilder()
            .setVolumeId(request.volumeId().value())
            .setStagingTargetPath(request.stagingTargetPath().value())
            .setVolumeCapability(ValueMapping.toProto(request.capability()));
    put(
        out,
        request.publishContext().reveal(),
        (to, key, value) -> to.putPublishContext(key, value),
        (to, all) -> to.putAllPublishContext(all));
    put(
        out,
        request.secrets().reveal(),
        (to, key, value) -> to.putSecrets(key, value),
        (to, all) -> to.putAllSecrets(all));
    put(
        out,
        request.volumeContext().reveal(),
        (to, key, value) -> to.putVolumeContext(key, value),
        (to, all) -> to.putAllVolumeContext(all));
    return out.build();
  }

  public static io.csi4j.client.internal.proto.NodeUnstageVolumeRequest toProto(
      NodeUnstageVolumeRequest request) {
    return io.csi4j.client.internal.proto.NodeUnstageVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .setStagingTargetPath(request.stagingTargetPath().value())
        .build();
  }

  public static io.csi4j.client.internal.proto.NodePublishVolumeRequest toProto(
      NodePublishVolumeRequest request) {
    var out =
        io.csi4j.client.internal.proto.NodePublishVolumeRequest.newBuilder()
            .setVolumeId(request.volumeId().value())
            .setStagingTargetPath(request.stagingTargetPath().map(PluginPath::value).orElse(""))
            .setTargetPath(request.targetPath().value())
            .setVolumeCapability(ValueMapping.toProto(request.capability()))
            .setReadonly(request.readonly());
    put(
        out,
        request.publishContext().reveal(),
        (to, key, value) -> to.putPublishContext(key, value),
        (to, all) -> to.putAllPublishContext(all));
    put(
        out,
        request.secrets().reveal(),
        (to, key, value) -> to.putSecrets(key, value),
        (to, all) -> to.putAllSecrets(all));
    put(
        out,
        request.volumeContext().reveal(),
        (to, key, value) -> to.putVolumeContext(key, value),
        (to, all) -> to.putAllVolumeContext(all));
    return out.build();
  }

  public static io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest toProto(
      NodeUnpublishVolumeRequest request) {
    return io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .setTargetPath(request.targetPath().value())
        .build();
  }

  public static io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest toProto(
      NodeGetVolumeStatsRequest request) {
    return io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .setVolumePath(request.volumePath().value())
        .setStagingTargetPath(request.stagingTargetPath().map(PluginPath::value).orElse(""))
        .build();
  }

  public static io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest toProto(
      NodeGetVolumeHealthRequest request) {
    return io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .setVolumePublishPath(request.volumePublishPath().map(PluginPath::value).orElse(""))
        .setStagingTargetPath(request.stagingTargetPath().map(PluginPath::value).orElse(""))
        .build();
  }

  public static io.csi4j.client.internal.proto.NodeGetStorageHealthRequest toProto(
      NodeGetStorageHealthRequest request) {
    return io.csi4j.client.internal.proto.NodeGetStorageHealthRequest.newBuilder()
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.NodeExpandVolumeRequest toProto(
      NodeExpandVolumeRequest request) {
    var out =
        io.csi4j.client.internal.proto.NodeExpandVolumeRequest.newBuilder()
            .setVolumeId(request.volumeId().value())
            .setVolumePath(request.volumePath().value())
            .setStagingTargetPath(request.stagingTargetPath().map(PluginPath::value).orElse(""))
            .putAllSecrets(request.secrets().reveal());
    request.capacityRange().map(ValueMapping::toProto).ifPresent(out::setCapacityRange);
    request.capability().map(ValueMapping::toProto).ifPresent(out::setVolumeCapability);
    return out.build();
  }

  /** Returns which entries of {@code request} were already validated when the host created them. */
  public static KnownEntries known(Object request) {
    if (request instanceof NodePublishVolumeRequest publish) {
      return known(publish.publishContext(), publish.volumeContext(), publish.secrets());
    } else if (request instanceof NodeStageVolumeRequest stage) {
      return known(stage.publishContext(), stage.volumeContext(), stage.secrets());
    }
    return KnownEntries.NONE;
  }

  private static KnownEntries known(PublishContext publish, VolumeContext volume, Secrets secrets) {
    if (!TextEntries.arePlain(publish.reveal(), FieldLimits.MAP)
        || !TextEntries.arePlain(volume.reveal(), FieldLimits.MAP)) {
      return KnownEntries.NONE;
    }
    return secrets.isEmpty() ? KnownEntries.CONTEXTS_AND_SECRETS : KnownEntries.CONTEXTS;
  }
}
