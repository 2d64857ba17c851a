package io.csi4j.testkit.internal.referee;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Rules for the sizes of texts, maps and paths, and for the characters of names and keys. */
final class SizeRules extends DutyRule {

  private static final Set<String> CONTEXTS = Set.of("volume_context", "publish_context");

  /**
   * Characters of a secret's key. The spec requires alphanumeric characters, but does not name the
   * alphabet.
   */
  private static final Pattern SECRET_KEY = Pattern.compile("[-\\p{L}\\p{N}_.]*");

  SizeRules(Hearing hearing) {
    super(hearing, "Sizes and characters");
  }

  @Override
  void began(RecordedCall call) {
    WireFields.walk(
        call.request(),
        WireFields.type(call.operation()),
        (message, field) -> field(call, message, field));
    if (isJudged(call, "name")) {
      String name = call.request().text("name");
      judge(name.chars().noneMatch(SizeRules::isBanned), call, "name");
    }
    nodeId(call);
    for (String key : WireFields.map(call, "secrets").keySet()) {
      judge(SECRET_KEY.matcher(key).matches(), call, "secret key");
    }
  }

  private void field(RecordedCall call, WireMessage message, FieldDescriptor field) {
    String name = SpecFields.name(field);
    if (field.isMapField()) {
      map(call, name, message.map(name));
    } else {
      texts(call, name, message, field.isRepeated());
    }
  }

  private void map(RecordedCall call, String name, Map<String, String> map) {
    if (!CONTEXTS.contains(name)) {
      long bytes = SafeText.utf8Length(map);
      if (bytes <= FieldLimits.MAP || !world.tooLong.contains(map)) {
        judge(bytes <= FieldLimits.MAP, call, "map", bytes, name);
      }
    }
  }

  private void texts(RecordedCall call, String name, WireMessage message, boolean many) {
    if (name.equals("mount_flags")) {
      long bytes = message.texts(name).stream().mapToLong(SafeText::utf8Length).sum();
      judge(bytes <= FieldLimits.MOUNT_FLAGS, call, "mount flags", bytes);
    } else if (many) {
      message.texts(name).forEach(text -> text(call, name, text));
    } else if (FieldLimits.PATHS.contains(name)) {
      int bytes = SafeText.utf8Length(message.text(name));
      judge(bytes <= FieldLimits.TEXT, call, "path", name, bytes);
    } else {
      text(call, name, message.text(name));
    }
  }

  private void text(RecordedCall call, String name, String text) {
    int limit = FieldLimits.ofText(name);
    int bytes = SafeText.utf8Length(text);
    if (bytes <= limit || !world.tooLong.contains(text)) {
      judge(bytes <= limit, call, "text", name, bytes, limit);
    }
  }

  private void nodeId(RecordedCall call) {
    String id = WireFields.text(call, "node_id");
    if (id.isEmpty()) {
      return;
    }
    boolean whole = world.nodes.containsKey(id) || world.listedNodes.contains(id);
    for (String told : world.nodes.keySet()) {
      if (SafeText.utf8Length(told) > FieldLimits.TEXT) {
        judge(whole || !told.startsWith(id), call, "cut node id");
      }
    }
  }

  private static boolean isBanned(int c) {
    return Character.isISOControl(c) && c != '\t' && c != '\n' && c != '\r';
  }
}
