package io.csi4j.testkit.internal.referee;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Map;
import java.util.Set;

/** How long texts, maps and paths are, and of which characters names and keys are made. */
final class SizeRules extends DutyRule {

  /** How many bytes a text may have. */
  static final int TEXT_LIMIT = 128;

  private static final int MAP_LIMIT = 4 << 10;
  private static final int NODE_ID_LIMIT = 256;
  private static final Set<String> PATHS =
      Set.of("staging_target_path", "target_path", "volume_path");
  private static final Set<String> CONTEXTS = Set.of("volume_context", "publish_context");

  SizeRules(Hearing hearing) {
    super(hearing, "Sizes and characters", 55, 56, 59, 60, 61, 66, 67, 68, 92);
  }

  @Override
  void began(RecordedCall call) {
    message(call, call.request(), WireFields.type(call.operation()));
    name(call);
    nodeId(call);
    for (String key : WireFields.map(call, "secrets").keySet()) {
      judge(
          isSecretKey(key),
          call,
          "with a key of a secret that is not made of letters, digits, '-', '_' and '.'. Rename"
              + " the key.",
          92);
    }
  }

  private void message(RecordedCall call, WireMessage message, Descriptor type) {
    Set<String> set = message.fields();
    for (FieldDescriptor field : type.getFields()) {
      String name = SpecFields.name(field);
      if (!set.contains(name)) {
        continue;
      }
      if (field.isMapField()) {
        map(call, name, message.map(name));
      } else if (field.getJavaType() == FieldDescriptor.JavaType.STRING) {
        texts(call, name, message, field.isRepeated());
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        if (field.isRepeated()) {
          message.messages(name).forEach(inner -> message(call, inner, field.getMessageType()));
        } else {
          message(call, message.message(name), field.getMessageType());
        }
      }
    }
  }

  private void map(RecordedCall call, String name, Map<String, String> map) {
    if (!CONTEXTS.contains(name)) {
      long bytes = WireFields.bytes(map);
      judge(
          bytes <= MAP_LIMIT,
          call,
          "with " + bytes + " bytes of " + name + "; 4096 are allowed. Send less.",
          56);
    }
  }

  private void texts(RecordedCall call, String name, WireMessage message, boolean many) {
    if (name.equals("mount_flags")) {
      long bytes = message.texts(name).stream().mapToLong(SafeText::utf8Length).sum();
      judge(
          bytes <= MAP_LIMIT,
          call,
          "with " + bytes + " bytes of mount_flags; 4096 are allowed. Send fewer.",
          61);
    } else if (many) {
      message.texts(name).forEach(text -> text(call, name, text));
    } else if (PATHS.contains(name)) {
      int bytes = SafeText.utf8Length(message.text(name));
      judge(
          bytes <= TEXT_LIMIT,
          call,
          "with a "
              + name
              + " of "
              + bytes
              + " bytes; plugins have to accept no more than 128. Lay paths out shorter.",
          59);
    } else {
      text(call, name, message.text(name));
    }
  }

  private void text(RecordedCall call, String name, String text) {
    int limit = name.equals("node_id") ? NODE_ID_LIMIT : TEXT_LIMIT;
    int bytes = SafeText.utf8Length(text);
    if (bytes > limit && world.isLongId(text)) {
      return;
    }
    judge(
        bytes <= limit,
        call,
        "with a "
            + name
            + " of "
            + bytes
            + " bytes; "
            + limit
            + " are allowed. Send a shorter one.",
        55);
  }

  private void name(RecordedCall call) {
    int duty =
        switch (call.operation()) {
          case CREATE_VOLUME -> 66;
          case CREATE_SNAPSHOT -> 67;
          case CREATE_VOLUME_GROUP_SNAPSHOT -> 68;
          default -> 0;
        };
    if (duty != 0) {
      judge(
          call.request().text("name").chars().noneMatch(SizeRules::isBanned),
          call,
          "with a control character in its name. Only tab, line feed and carriage return are"
              + " allowed.",
          duty);
    }
  }

  private void nodeId(RecordedCall call) {
    String id = WireFields.text(call, "node_id");
    if (id.isEmpty()) {
      return;
    }
    for (String told : world.allNodeIds()) {
      if (SafeText.utf8Length(told) > TEXT_LIMIT) {
        boolean cut = told.startsWith(id) && !told.equals(id);
        judge(!cut, call, "with a node id that was cut short. Keep up to 256 bytes of it.", 60);
      }
    }
  }

  private static boolean isSecretKey(String key) {
    return key.chars()
        .allMatch(
            c ->
                (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '-'
                    || c == '_'
                    || c == '.');
  }

  private static boolean isBanned(int c) {
    return c <= 0x08
        || c == 0x0B
        || c == 0x0C
        || (c >= 0x0E && c <= 0x1F)
        || (c >= 0x7F && c <= 0x9F);
  }
}
