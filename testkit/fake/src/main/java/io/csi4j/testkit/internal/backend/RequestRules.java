package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.internal.spec.CallNeeds;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the rules for requests that do not depend on the plugin's state: required fields, sizes,
 * characters, signs. A quirk may waive a rule. The refusal names only the first mistake, in the
 * order of the fields.
 */
final class RequestRules {

  /** Maximum length of a path on Linux. */
  private static final int PATH_LIMIT = 4096;

  /** Required fields of nested messages, by message type. */
  private static final Map<String, List<String>> REQUIRED =
      Map.of(
          "VolumeCapability", List.of("access_mode"),
          "SnapshotSource", List.of("snapshot_id"),
          "VolumeSource", List.of("volume_id"));

  private static final Map<String, String> REQUIRED_CHOICE =
      Map.of("VolumeCapability", "access_type", "VolumeContentSource", "type");

  private final PluginShape shape;

  private RequestRules(PluginShape shape) {
    this.shape = shape;
  }

  /** Refuses a request that breaks a rule for a plugin of this shape. */
  static void check(PluginShape shape, Message request) throws Refusal {
    new RequestRules(shape).message("", request);
  }

  private void message(String path, Message message) throws Refusal {
    String type = message.getDescriptorForType().getName();
    List<String> required =
        CsiOperation.ofRpcName(type.replaceFirst("Request$", ""))
            .map(operation -> CallNeeds.of(operation).fields())
            .orElseGet(() -> REQUIRED.getOrDefault(type, List.of()));
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      String name = SpecFields.name(field);
      boolean needed = required.contains(name) && !isNotNeeded(name);
      field(path.isEmpty() ? name : path + "." + name, field, message, needed);
    }
    String choice = REQUIRED_CHOICE.get(type);
    for (OneofDescriptor oneof : message.getDescriptorForType().getOneofs()) {
      if (oneof.getName().equals(choice) && !message.hasOneof(oneof)) {
        throw Refusal.invalid(
            path + "." + choice,
            "is REQUIRED and not set. Set one of %s.",
            oneof.getFields().stream().map(SpecFields::name).toList());
      }
    }
    if (message instanceof CapacityRange range) {
      capacity(path, range);
    } else if (message instanceof TopologyRequirement topology) {
      topology(path, topology);
    }
  }

  private boolean isNotNeeded(String name) {
    return name.equals("snapshot_ids") && shape.has(Quirk.SNAPSHOT_IDS_NOT_NEEDED);
  }

  private void field(String at, FieldDescriptor field, Message message, boolean required)
      throws Refusal {
    if (field.isMapField()) {
      Map<String, String> entries = SpecFields.map(message, field);
      require(at, !required || !entries.isEmpty());
      map(at, entries);
    } else if (field.isRepeated()) {
      List<?> elements = SpecFields.list(message, field);
      require(at, !required || !elements.isEmpty());
      list(at, field, elements, required);
    } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
      require(at, !required || message.hasField(field));
      if (message.hasField(field)) {
        message(at, (Message) message.getField(field));
      }
    } else {
      require(at, !required || !message.getField(field).equals(field.getDefaultValue()));
      value(at, field, message.getField(field));
    }
  }

  private static void require(String at, boolean set) throws Refusal {
    if (!set) {
      throw Refusal.invalid(at, "is REQUIRED and not set. Set it.");
    }
  }

  private void list(String at, FieldDescriptor field, List<?> elements, boolean required)
      throws Refusal {
    long bytes = 0;
    for (int i = 0; i < elements.size(); i++) {
      String element = at + "[" + i + "]";
      if (elements.get(i) instanceof String text && field.getName().equals("mount_flags")) {
        characters(element, text);
        bytes += SafeText.utf8Length(text);
      } else {
        require(element, !required || !elements.get(i).equals(""));
        if (elements.get(i) instanceof Message message) {
          message(element, message);
        } else {
          value(element, field, elements.get(i));
        }
      }
    }
    total(at, bytes, FieldLimits.MOUNT_FLAGS);
  }

  private void value(String at, FieldDescriptor field, Object value) throws Refusal {
    switch (field.getJavaType()) {
      case STRING -> text(at, field.getName(), (String) value);
      case INT, LONG -> {
        // The class Metadata refuses a negative starting_offset, with another code.
        if (((Number) value).longValue() < 0 && !field.getName().equals("starting_offset")) {
          throw Refusal.invalid(at, "is %s. Send 0 or more.", value);
        }
      }
      case ENUM -> {
        EnumValueDescriptor choice = (EnumValueDescriptor) value;
        if (choice.getNumber() == 0) {
          throw Refusal.invalid(at, "is UNKNOWN. Name one of the modes of the spec.");
        }
        if (choice.getIndex() < 0) {
          throw Refusal.invalid(at, "is %s, which this plugin does not know.", choice.getNumber());
        }
      }
      case BOOLEAN, FLOAT, DOUBLE, BYTE_STRING, MESSAGE -> {}
    }
  }

  private void text(String at, String name, String text) throws Refusal {
    characters(at, text);
    if (at.equals("name")) {
      banned(at, text);
    }
    boolean path = FieldLimits.PATHS.contains(name);
    if (path && !text.isEmpty() && text.charAt(0) != '/' && !isLookedFor(name)) {
      throw Refusal.invalid(at, "%s is not absolute. Send an absolute path.", text);
    }
    int limit = path ? PATH_LIMIT : FieldLimits.ofText(name);
    int bytes = SafeText.utf8Length(text);
    if (bytes > limit) {
      throw Refusal.invalid(at, "has %s bytes. Send %s at most.", bytes, limit);
    }
  }

  private boolean isLookedFor(String name) {
    return name.equals("volume_path") && shape.has(Quirk.RELATIVE_PATH_NOT_FOUND);
  }

  private static void characters(String at, String text) throws Refusal {
    if (text.indexOf('\0') >= 0 || SafeText.loneSurrogate(text) >= 0) {
      throw Refusal.invalid(at, "contains a NUL or invalid Unicode. Send plain text.");
    }
  }

  private static void banned(String at, String name) throws Refusal {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isISOControl(c) && c != '\t' && c != '\n' && c != '\r') {
        throw Refusal.invalid(at, "contains the control character U+%04X. Leave it out.", (int) c);
      }
    }
  }

  private static void map(String at, Map<String, String> entries) throws Refusal {
    for (Map.Entry<String, String> entry : entries.entrySet()) {
      characters(at, entry.getKey());
      characters(at, entry.getValue());
    }
    total(at, SafeText.utf8Length(entries), FieldLimits.MAP);
  }

  private static void total(String at, long bytes, int limit) throws Refusal {
    if (bytes > limit) {
      throw Refusal.invalid(at, "has %s bytes in total. Send %s at most.", bytes, limit);
    }
  }

  private static void capacity(String at, CapacityRange range) throws Refusal {
    if (range.getRequiredBytes() == 0 && range.getLimitBytes() == 0) {
      throw Refusal.invalid(
          at, "has neither required_bytes nor limit_bytes. Set one, or leave the range out.");
    }
    if (range.getLimitBytes() > 0 && range.getRequiredBytes() > range.getLimitBytes()) {
      throw Refusal.invalid(
          at,
          "has required_bytes %s above limit_bytes %s. Raise the limit.",
          range.getRequiredBytes(),
          range.getLimitBytes());
    }
  }

  private static void topology(String at, TopologyRequirement requirement) throws Refusal {
    if (requirement.getRequisiteCount() + requirement.getPreferredCount() == 0) {
      throw Refusal.invalid(
          at, "has neither requisite nor preferred entries. Set one, or leave it out.");
    }
    if (requirement.getRequisiteCount() > 0) {
      Set<io.csi4j.client.model.Topology> requisite =
          Set.copyOf(
              requirement.getRequisiteList().stream().map(VolumePlacement::of).distinct().toList());
      for (int i = 0; i < requirement.getPreferredCount(); i++) {
        if (!requisite.contains(VolumePlacement.of(requirement.getPreferred(i)))) {
          throw Refusal.invalid(
              at + ".preferred[" + i + "]", "is not among the requisite entries. Add it there.");
        }
      }
    }
  }
}
