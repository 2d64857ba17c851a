package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.Scrubber;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.internal.journal.CallFacts;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Replaces recorded ids, tokens and contexts by those that the plugin returns during a replay. */
public final class PlayedIds {

  /** Fields that differ from one run to the next with every plugin. */
  private static final Set<String> PASSING = Set.of("creation_time", "available", "used");

  private final ReentrantLock lock = new ReentrantLock();

  // The lock guards these fields.
  private final Map<String, String> ids = new HashMap<>();
  private final Map<String, Map<String, String>> contexts = new HashMap<>();

  /** Returns the recorded request with the current ids. */
  public Message request(Message recorded) {
    lock.lock();
    try {
      Message translated = translated(recorded);
      String volume = CallFacts.volume(translated).map(VolumeId::value).orElse("");
      Message.Builder made = translated.toBuilder();
      for (FieldDescriptor field : translated.getAllFields().keySet()) {
        Map<String, String> context = contexts.get(field.getName() + " " + volume);
        if (field.isMapField()
            && context != null
            && SpecFields.map(translated, field).containsValue(Scrubber.MARK)) {
          Message with = MessageFields.with(translated, Map.of(SpecFields.name(field), context));
          made.setField(field, with.getField(field));
        }
      }
      return made.build();
    } finally {
      lock.unlock();
    }
  }

  private Message translated(Message message) {
    return ProtoMessage.rebuilt(
        message,
        (field, value) -> isId(field) ? ids.getOrDefault((String) value, (String) value) : value);
  }

  private static boolean isId(FieldDescriptor field) {
    String name = field.getName();
    return field.getJavaType() == JavaType.STRING
        && (name.endsWith("_id") || name.endsWith("_ids") || name.endsWith("_token"));
  }

  /**
   * Compares the answer to a call with the recorded one, and learns ids from it.
   *
   * @param asked the request as sent
   * @return the differences, a line each, except ids and fields that always vary
   */
  public List<String> compare(Message asked, List<Message> recorded, List<Message> played) {
    lock.lock();
    try {
      List<String> differences = new ArrayList<>();
      if (recorded.size() != played.size()) {
        differences.add(
            "has " + played.size() + " messages, but " + recorded.size() + " were recorded");
      }
      for (int i = 0; i < Math.min(recorded.size(), played.size()); i++) {
        learnContexts(asked, played.get(i));
        compare("", recorded.get(i), played.get(i), differences);
      }
      return differences;
    } finally {
      lock.unlock();
    }
  }

  private void learnContexts(Message asked, Message answer) {
    String volume = CallFacts.volume(asked).map(VolumeId::value).orElse("");
    for (Map.Entry<FieldDescriptor, Object> entry : answer.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      if (field.isMapField()) {
        contexts.put(field.getName() + " " + volume, Map.copyOf(SpecFields.map(answer, field)));
      } else if (field.getName().equals("volume") && entry.getValue() instanceof Message told) {
        FieldDescriptor id = told.getDescriptorForType().findFieldByName("volume_id");
        FieldDescriptor context = told.getDescriptorForType().findFieldByName("volume_context");
        if (id != null && context != null) {
          contexts.put(
              "volume_context " + told.getField(id), Map.copyOf(SpecFields.map(told, context)));
        }
      }
    }
  }

  private void compare(String path, Message recorded, Message played, List<String> differences) {
    for (FieldDescriptor field : recorded.getDescriptorForType().getFields()) {
      if (PASSING.contains(field.getName())) {
        continue;
      }
      String name = path + SpecFields.name(field);
      if (field.isMapField()) {
        compareKeys(name, recorded, played, field, differences);
      } else if (field.isRepeated()) {
        List<?> before = SpecFields.list(recorded, field);
        List<?> now = SpecFields.list(played, field);
        if (before.size() != now.size()) {
          differences.add(
              name + " has " + now.size() + " entries, but " + before.size() + " were recorded");
        }
        for (int i = 0; i < Math.min(before.size(), now.size()); i++) {
          compare(name + "[" + i + "]", field, before.get(i), now.get(i), differences);
        }
      } else if (field.hasPresence() && recorded.hasField(field) != played.hasField(field)) {
        differences.add(
            name + (played.hasField(field) ? " is there; it was not recorded" : " is absent"));
      } else {
        compare(name, field, recorded.getField(field), played.getField(field), differences);
      }
    }
  }

  private void compare(
      String name,
      FieldDescriptor field,
      @Nullable Object before,
      @Nullable Object now,
      List<String> differences) {
    if (before instanceof Message recorded && now instanceof Message played) {
      compare(name + ".", recorded, played, differences);
    } else if (isId(field) && before instanceof String recorded && now instanceof String played) {
      if (recorded.isEmpty() != played.isEmpty()) {
        differences.add(
            name + (played.isEmpty() ? " is absent" : " is there; it was not recorded"));
      } else if (!recorded.isEmpty()) {
        ids.put(recorded, played);
      }
    } else if (before != null && !before.equals(now) && !SpecFields.isSensitive(field)) {
      differences.add(name + " is " + now + "; recorded was " + before);
    }
  }

  private static void compareKeys(
      String name, Message recorded, Message played, FieldDescriptor field, List<String> lines) {
    Set<String> before = SpecFields.map(recorded, field).keySet();
    Set<String> now = SpecFields.map(played, field).keySet();
    if (!before.equals(now)) {
      lines.add(name + " has the keys " + now + "; recorded were " + before);
    }
  }
}
