package io.csi4j.client.internal.rules;

import static java.util.Map.entry;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Internal;
import com.google.protobuf.Internal.EnumLite;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules for one type of message, read from its descriptor. They are computed once, because
 * every call needs them.
 *
 * @param fields the fields that can be invalid
 * @param choices the fields of which at most one is set
 */
record MessageRules(List<Field> fields, List<Choice> choices) {

  /** The names of the fields that must not be empty. */
  static final Map<String, List<String>> REQUIRED =
      Map.ofEntries(
          entry("GetPluginInfoRequest", List.of()),
          entry("GetPluginCapabilitiesRequest", List.of()),
          entry("ProbeRequest", List.of()),
          entry("CreateVolumeRequest", List.of("name", "volume_capabilities")),
          entry("DeleteVolumeRequest", List.of("volume_id")),
          entry(
              "ControllerPublishVolumeRequest",
              List.of("volume_id", "node_id", "volume_capability")),
          entry("ControllerUnpublishVolumeRequest", List.of("volume_id")),
          entry("ValidateVolumeCapabilitiesRequest", List.of("volume_id", "volume_capabilities")),
          entry("ListVolumesRequest", List.of()),
          entry("ControllerListVolumeHealthRequest", List.of()),
          entry("ControllerGetVolumeHealthRequest", List.of("volume_id")),
          entry("ControllerGetVolumeRequest", List.of("volume_id")),
          entry("ControllerModifyVolumeRequest", List.of("volume_id", "mutable_parameters")),
          entry("GetCapacityRequest", List.of()),
          entry("ControllerGetCapabilitiesRequest", List.of()),
          entry("CreateSnapshotRequest", List.of("source_volume_id", "name")),
          entry("DeleteSnapshotRequest", List.of("snapshot_id")),
          entry("ListSnapshotsRequest", List.of()),
          entry("GetSnapshotRequest", List.of("snapshot_id")),
          entry("ControllerExpandVolumeRequest", List.of("volume_id", "capacity_range")),
          entry("GroupControllerGetCapabilitiesRequest", List.of()),
          entry("CreateVolumeGroupSnapshotRequest", List.of("name", "source_volume_ids")),
          entry("DeleteVolumeGroupSnapshotRequest", List.of("group_snapshot_id", "snapshot_ids")),
          entry("GetVolumeGroupSnapshotRequest", List.of("group_snapshot_id", "snapshot_ids")),
          entry("GetMetadataAllocatedRequest", List.of("snapshot_id")),
          entry("GetMetadataDeltaRequest", List.of("base_snapshot_id", "target_snapshot_id")),
          entry(
              "NodeStageVolumeRequest",
              List.of("volume_id", "staging_target_path", "volume_capability")),
          entry("NodeUnstageVolumeRequest", List.of("volume_id", "staging_target_path")),
          entry(
              "NodePublishVolumeRequest", List.of("volume_id", "target_path", "volume_capability")),
          entry("NodeUnpublishVolumeRequest", List.of("volume_id", "target_path")),
          entry("NodeGetVolumeStatsRequest", List.of("volume_id", "volume_path")),
          entry("NodeGetVolumeHealthRequest", List.of("volume_id")),
          entry("NodeGetStorageHealthRequest", List.of()),
          entry("NodeExpandVolumeRequest", List.of("volume_id", "volume_path")),
          entry("NodeGetCapabilitiesRequest", List.of()),
          entry("NodeGetInfoRequest", List.of()),
          entry("VolumeCapability", List.of("access_mode")),
          entry("SnapshotSource", List.of("snapshot_id")),
          entry("VolumeSource", List.of("volume_id")));

  /** The choices in which one of the fields must be set. */
  static final Map<String, String> REQUIRED_CHOICE =
      Map.of("VolumeCapability", "access_type", "VolumeContentSource", "type");

  private static final Set<String> CONTEXTS = Set.of("publish_context", "volume_context");

  private static final ClassValue<MessageRules> KNOWN =
      new ClassValue<>() {
        @Override
        protected MessageRules computeValue(Class<?> type) {
          return read(Internal.getDefaultInstance(type.asSubclass(Message.class)));
        }
      };

  /** The kinds of values of a field, or of each of its elements. */
  enum Kind {
    TEXT,
    NAME,
    NODE_ID,
    PATH,
    FS_TYPE,
    MESSAGE,
    NUMBER,
    ENUM,
    FLAGS,
    MAP,
    /** Values that are always valid, unless the field is required. */
    OTHER
  }

  /**
   * A field of a message.
   *
   * @param in the contract
   * @param name the name in the spec
   * @param kind the kind of its values
   * @param required whether it must be set
   * @param repeated whether the field has elements; false for maps and flags
   * @param value reads the value
   * @param presence reads whether the field is set, if that differs from being empty
   * @param context whether the field contains the publish context or the volume context
   * @param secret whether the value must not be shown
   * @param topology whether its entries are labels of a place
   */
  record Field(
      FieldDescriptor in,
      String name,
      Kind kind,
      boolean required,
      boolean repeated,
      GeneratedGetter value,
      @Nullable GeneratedGetter presence,
      boolean context,
      boolean secret,
      boolean topology) {

    /** Returns whether the field is known to be unset, rather than empty. */
    boolean isUnset(Message message) {
      return presence != null && presence.read(message).equals(false);
    }
  }

  /**
   * A choice of fields of which at most one is set.
   *
   * @param in the contract
   * @param required whether one of the fields must be set
   * @param made reads which field is set
   * @param fields the fields, by number
   */
  record Choice(
      OneofDescriptor in, boolean required, GeneratedGetter made, Map<Integer, Field> fields) {

    /** Returns the field that is set, or null. */
    @Nullable Field made(Message message) {
      return fields.get(((EnumLite) made.read(message)).getNumber());
    }
  }

  /** Returns the rules for messages of the same kind as {@code message}. */
  static MessageRules of(Message message) {
    return KNOWN.get(message.getClass());
  }

  /** Reads the rules from the descriptor of the message. */
  static MessageRules read(Message message) {
    Class<? extends Message> java = message.getClass();
    Descriptor type = message.getDescriptorForType();
    List<String> required = REQUIRED.getOrDefault(type.getName(), List.of());
    List<Field> fields = new ArrayList<>();
    for (FieldDescriptor field : type.getFields()) {
      boolean isRequired = required.contains(SpecFields.name(field));
      boolean checked = kind(field) != Kind.OTHER || isRequired;
      if (checked && field.getRealContainingOneof() == null) {
        fields.add(read(java, field, isRequired));
      }
    }
    List<Choice> choices =
        type.getRealOneofs().stream()
            .map(
                oneof ->
                    new Choice(
                        oneof,
                        oneof.getName().equals(REQUIRED_CHOICE.get(type.getName())),
                        GeneratedGetter.choice(java, oneof),
                        oneof.getFields().stream()
                            .collect(
                                Collectors.toUnmodifiableMap(
                                    FieldDescriptor::getNumber,
                                    field -> read(java, field, false)))))
            .toList();
    return new MessageRules(List.copyOf(fields), choices);
  }

  private static Field read(
      Class<? extends Message> java, FieldDescriptor field, boolean required) {
    Kind kind = kind(field);
    return new Field(
        field,
        SpecFields.name(field),
        kind,
        required,
        field.isRepeated() && kind != Kind.MAP && kind != Kind.FLAGS,
        GeneratedGetter.value(java, field),
        field.hasPresence() ? GeneratedGetter.presence(java, field) : null,
        CONTEXTS.contains(field.getName()),
        SpecFields.isSecret(field),
        field.getContainingType().equals(Topology.getDescriptor()));
  }

  private static Kind kind(FieldDescriptor field) {
    if (field.isMapField()) {
      return Kind.MAP;
    }
    return switch (field.getJavaType()) {
      case STRING ->
          switch (field.getName()) {
            case "name" -> Kind.NAME;
            case "node_id" -> Kind.NODE_ID;
            case "fs_type" -> Kind.FS_TYPE;
            case "mount_flags" -> Kind.FLAGS;
            default -> FieldLimits.PATHS.contains(field.getName()) ? Kind.PATH : Kind.TEXT;
          };
      case MESSAGE -> Kind.MESSAGE;
      case INT, LONG -> Kind.NUMBER;
      case ENUM -> Kind.ENUM;
      case BOOLEAN, FLOAT, DOUBLE, BYTE_STRING -> Kind.OTHER;
    };
  }
}
