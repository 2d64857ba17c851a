package io.csi4j.testkit.internal.referee;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.csi4j.client.internal.proto.CsiProto;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads fields of requests of any operation. */
final class WireFields {

  private static final Map<CsiOperation, Set<String>> FIELDS = fields();

  private static final Pattern TOO_MANY = Pattern.compile("(?<=/)/+|(?<=[^/])/+$");

  private static final List<String> SUBJECT =
      List.of(
          "name",
          "volume_id",
          "node_id",
          "target_path",
          "volume_path",
          "snapshot_id",
          "group_snapshot_id",
          "base_snapshot_id",
          "target_snapshot_id",
          "starting_token");

  private WireFields() {}

  static Descriptor type(CsiOperation operation) {
    return CsiProto.getDescriptor().findMessageTypeByName(operation.rpcName() + "Request");
  }

  static Descriptor answerType(CsiOperation operation) {
    return CsiProto.getDescriptor().findMessageTypeByName(operation.rpcName() + "Response");
  }

  /** Passes each text, list of texts and map in a message to {@code each}, at any depth. */
  static void walk(
      WireMessage message, Descriptor type, BiConsumer<WireMessage, FieldDescriptor> each) {
    Set<String> set = message.fields();
    for (FieldDescriptor field : type.getFields()) {
      String name = SpecFields.name(field);
      if (!set.contains(name)) {
        continue;
      }
      if (field.isMapField() || field.getJavaType() == FieldDescriptor.JavaType.STRING) {
        each.accept(message, field);
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        Descriptor inner = field.getMessageType();
        if (field.isRepeated()) {
          message.messages(name).forEach(one -> walk(one, inner, each));
        } else {
          walk(message.message(name), inner, each);
        }
      }
    }
  }

  /** Returns whether the type of this request has the field. */
  static boolean knows(RecordedCall call, String field) {
    return FIELDS.getOrDefault(call.operation(), Set.of()).contains(field);
  }

  static boolean has(RecordedCall call, String field) {
    return knows(call, field) && call.request().has(field);
  }

  /**
   * Returns the value of the field; {@code ""} if the request has no such field. Redundant slashes
   * are removed from paths, because the kernel ignores them.
   */
  static String text(RecordedCall call, String field) {
    String text = knows(call, field) ? call.request().text(field) : "";
    return FieldLimits.PATHS.contains(field) ? TOO_MANY.matcher(text).replaceAll("") : text;
  }

  static List<String> texts(RecordedCall call, String field) {
    return knows(call, field) ? call.request().texts(field) : List.of();
  }

  static Map<String, String> map(RecordedCall call, String field) {
    return knows(call, field) ? call.request().map(field) : Map.of();
  }

  /**
   * Returns the id of the volume that the call concerns; {@code ""} if the request contains none.
   */
  static String volume(RecordedCall call) {
    return text(call, "volume_id");
  }

  /** Returns the node whose socket received the call; {@code ""} if the socket serves no node. */
  static String node(RecordedCall call) {
    return call.node().map(NodeId::value).orElse("");
  }

  /**
   * Returns the subject of a call: its operation, its node and the fields that identify its
   * objects. Two calls have the same subject if the second can be a repetition of the first.
   */
  static String subject(RecordedCall call) {
    StringBuilder out = new StringBuilder(call.operation().name());
    part(out, node(call));
    SUBJECT.forEach(field -> part(out, text(call, field)));
    return out.toString();
  }

  private static void part(StringBuilder out, String text) {
    out.append('\n').append(text.length()).append(' ').append(text);
  }

  static List<WireMessage> capabilities(RecordedCall call) {
    if (has(call, "volume_capability")) {
      return List.of(call.request().message("volume_capability"));
    }
    return knows(call, "volume_capabilities")
        ? call.request().messages("volume_capabilities")
        : List.of();
  }

  /**
   * Returns the access mode of a capability; {@code UNKNOWN} if the capability has no access mode.
   */
  static String mode(WireMessage capability) {
    return capability.message("access_mode").choice("mode");
  }

  /** Returns a topology's keys and values as {@code key=value}. The case of keys is ignored. */
  static Set<String> pairs(WireMessage topology) {
    return topology.map("segments").entrySet().stream()
        .map(segment -> pair(segment.getKey(), segment.getValue()))
        .collect(Collectors.toSet());
  }

  static String pair(String key, String value) {
    return key.toLowerCase(Locale.ROOT) + "=" + value;
  }

  private static Map<CsiOperation, Set<String>> fields() {
    Map<CsiOperation, Set<String>> all = new EnumMap<>(CsiOperation.class);
    for (CsiOperation operation : CsiOperation.values()) {
      List<FieldDescriptor> own = type(operation).getFields();
      all.put(
          operation, own.stream().map(SpecFields::name).collect(Collectors.toUnmodifiableSet()));
    }
    return Collections.unmodifiableMap(all);
  }
}
