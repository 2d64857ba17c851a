package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.referee.AnswerFinding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Rules for a plugin's answers that need only the request and the answer: the fields that the spec
 * marks REQUIRED ({@code answers.tsv}), its size limits, and its MUST rules about single fields
 * ({@code relations.tsv}). SHOULD rules of the spec are left out.
 */
public final class PluginAnswerRules {

  private static final Map<String, List<String>> REQUIRED =
      Rows.of(PluginAnswerRules.class.getResourceAsStream("answers.tsv"), 2).stream()
          .collect(
              Collectors.toUnmodifiableMap(
                  row -> row.get(0), row -> Arrays.asList(row.get(1).split(" "))));

  /**
   * Rows of operation, field of the answer, rule, and field of the request that the rule compares.
   */
  private static final List<List<String>> RELATIONS =
      Rows.of(PluginAnswerRules.class.getResourceAsStream("relations.tsv"), 4);

  private static final Set<String> IDS =
      Set.of(
          "volume_id",
          "snapshot_id",
          "group_snapshot_id",
          "source_volume_id",
          "node_id",
          "next_token");

  private static final int NAME_LIMIT = 63;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?");

  private final RecordedCall call;
  private final List<AnswerFinding> broken = new ArrayList<>();

  private PluginAnswerRules(RecordedCall call) {
    this.call = call;
  }

  /** Returns the rules that the answers to a call broke; a stream has any number of answers. */
  public static List<AnswerFinding> broken(RecordedCall call, List<Message> answers) {
    PluginAnswerRules rules = new PluginAnswerRules(call);
    for (Message answer : answers) {
      rules.fields("", answer);
      for (List<String> row : RELATIONS) {
        if (row.get(0).equals(call.operation().name())) {
          rules.relate("", new ProtoMessage(answer), row.get(1), row.get(2), row.get(3));
        }
      }
    }
    return rules.broken;
  }

  private void broken(String field, String why) {
    broken.add(new AnswerFinding(field, call, why));
  }

  /**
   * Returns the rules that the answers to these calls broke, as the caller received the answers.
   */
  public static List<AnswerFinding> broken(List<RecordedCall> calls) {
    List<AnswerFinding> findings = new ArrayList<>();
    for (RecordedCall call : calls) {
      if (call.end().orElse(null) instanceof CallEnd.Answered answered) {
        findings.addAll(broken(call, ProtoMessage.messages(answered)));
      }
    }
    return findings;
  }

  private void fields(String path, Message message) {
    for (String name : REQUIRED.getOrDefault(message.getDescriptorForType().getName(), List.of())) {
      FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
      if (field != null && isAbsent(message, field)) {
        broken(path + name, "is absent, and the spec marks it REQUIRED");
      }
    }
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      String name = path + SpecFields.name(field);
      if (field.isMapField()) {
        size(name, SpecFields.map(message, field));
      } else if (field.getJavaType() == JavaType.STRING && !field.isRepeated()) {
        size(name, field.getName(), (String) entry.getValue());
      } else if (field.getJavaType() == JavaType.MESSAGE && field.isRepeated()) {
        int index = 0;
        for (Object element : (List<?>) entry.getValue()) {
          fields(name + "[" + index++ + "].", (Message) element);
        }
      } else if (field.getJavaType() == JavaType.MESSAGE) {
        fields(name + ".", (Message) entry.getValue());
      }
    }
  }

  private static boolean isAbsent(Message message, FieldDescriptor field) {
    if (field.isRepeated()) {
      return message.getRepeatedFieldCount(field) == 0;
    }
    return field.getJavaType() == JavaType.MESSAGE
        ? !message.hasField(field)
        : message.getField(field).equals(field.getDefaultValue());
  }

  private void size(String path, String name, String text) {
    int limit = IDS.contains(name) ? FieldLimits.ofText(name) : 0;
    int bytes = SafeText.utf8Length(text);
    if (limit > 0 && bytes > limit) {
      broken(path, "has " + bytes + " bytes; the spec allows " + limit);
    }
  }

  private void size(String path, Map<String, String> map) {
    long bytes = SafeText.utf8Length(map);
    if (bytes > FieldLimits.MAP) {
      broken(path, "has " + bytes + " bytes; the spec allows " + FieldLimits.MAP);
    }
  }

  /** Applies a rule to the field at the end of a path, such as {@code entries[].snapshot.id}. */
  private void relate(String path, WireMessage message, String rest, String rule, String asked) {
    int dot = rest.indexOf('.');
    if (dot < 0) {
      apply(rule, call.request(), asked, message, rest, path + rest);
      return;
    }
    String name = rest.substring(0, dot);
    String further = rest.substring(dot + 1);
    if (!name.endsWith("[]")) {
      relate(path + name + ".", message.message(name), further, rule, asked);
      return;
    }
    String list = name.substring(0, name.length() - 2);
    int index = 0;
    for (WireMessage element : message.messages(list)) {
      relate(path + list + "[" + index++ + "].", element, further, rule, asked);
    }
  }

  private void apply(
      String rule, WireMessage request, String asked, WireMessage answer, String told, String at) {
    switch (rule) {
      case "name" -> name(at, answer.text(told));
      case "same" -> same(at, request.text(asked), answer.text(told));
      case "same if asked" -> {
        if (request.has(asked)) {
          same(at, request.text(asked), answer.text(told));
        }
      }
      case "at least" -> atLeast(at, request.message(asked), answer.number(told));
      case "within" -> {
        atLeast(at, request.message(asked), answer.number(told));
        atMost(at, request.message(asked), answer.number(told));
      }
      case "no more" -> noMore(at, request.number(asked), answer.messages(told).size());
      default -> throw new IllegalStateException("relations.tsv names the unknown rule " + rule);
    }
  }

  private void name(String field, String name) {
    if (!name.isEmpty() && (name.length() > NAME_LIMIT || !NAME.matcher(name).matches())) {
      broken(
          field,
          "is "
              + SafeText.quote(name)
              + "; the spec allows up to 63 letters, digits, dashes and dots, with a letter or"
              + " digit at both ends");
    }
  }

  private void same(String field, String asked, String told) {
    if (!told.isEmpty() && !told.equals(asked)) {
      broken(field, "is " + SafeText.quote(told) + "; requested was " + SafeText.quote(asked));
    }
  }

  private void atLeast(String field, WireMessage range, long bytes) {
    long required = range.number("required_bytes");
    if (bytes > 0 && bytes < required) {
      broken(field, "is " + bytes + ", less than the required_bytes " + required);
    }
  }

  private void atMost(String field, WireMessage range, long bytes) {
    long limit = range.number("limit_bytes");
    if (limit > 0 && bytes > limit) {
      broken(field, "is " + bytes + ", more than the limit_bytes " + limit);
    }
  }

  private void noMore(String field, long most, int entries) {
    if (most > 0 && entries > most) {
      broken(field, "has " + entries + " entries; max_entries was " + most);
    }
  }
}
