package io.csi4j.testkit.internal.proxy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.internal.text.Rows;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.referee.AnswerFinding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rules for a plugin's answers that need nothing but a request and its answer: the fields that
 * the spec marks REQUIRED, as they stand in {@code answers.tsv}, its limits for sizes, and what it
 * says with MUST of single fields. What it says with SHOULD is no rule here.
 */
public final class PluginAnswerRules {

  private static final Map<String, List<String>> REQUIRED =
      Rows.of(PluginAnswerRules.class.getResourceAsStream("answers.tsv"), 2).stream()
          .collect(
              Collectors.toUnmodifiableMap(
                  row -> row.get(0), row -> Arrays.asList(row.get(1).split(" "))));

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

  /** The rules that the answers to a call broke; a stream has any number of answers. */
  public static List<AnswerFinding> broken(
      RecordedCall call, Message request, List<Message> answers) {
    PluginAnswerRules rules = new PluginAnswerRules(call);
    for (Message answer : answers) {
      rules.fields("", answer);
      rules.compare(request, answer);
    }
    return rules.broken;
  }

  private void broken(String field, String why) {
    broken.add(new AnswerFinding(field, call, why));
  }

  /** The rules that the answers to these calls broke, as they were told to the caller. */
  public static List<AnswerFinding> broken(List<RecordedCall> calls) {
    List<AnswerFinding> findings = new ArrayList<>();
    for (RecordedCall call : calls) {
      if (call.end().orElse(null) instanceof CallEnd.Answered answered) {
        Message request = ((ProtoMessage) call.request()).message();
        findings.addAll(broken(call, request, ProtoMessage.messages(answered)));
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

  private void compare(Message request, Message answer) {
    if (answer instanceof GetPluginInfoResponse info) {
      String name = info.getName();
      if (!name.isEmpty() && (name.length() > NAME_LIMIT || !NAME.matcher(name).matches())) {
        broken(
            "name",
            "is "
                + SafeText.quote(name)
                + "; the spec allows up to 63 letters, digits, dashes and dots, with a letter"
                + " or digit at both ends");
      }
    } else if (request instanceof CreateVolumeRequest asked
        && answer instanceof CreateVolumeResponse told) {
      within("volume.", asked.getCapacityRange(), told.getVolume().getCapacityBytes());
    } else if (request instanceof CreateSnapshotRequest asked
        && answer instanceof CreateSnapshotResponse told) {
      same(
          "snapshot.source_volume_id",
          asked.getSourceVolumeId(),
          told.getSnapshot().getSourceVolumeId());
    } else if (request instanceof ControllerGetVolumeRequest asked
        && answer instanceof ControllerGetVolumeResponse told) {
      same("volume.volume_id", asked.getVolumeId(), told.getVolume().getVolumeId());
    } else if (request instanceof ControllerExpandVolumeRequest asked
        && answer instanceof ControllerExpandVolumeResponse told) {
      enough("", asked.getCapacityRange(), told.getCapacityBytes());
    } else {
      page(request, answer);
    }
  }

  private void page(Message request, Message answer) {
    if (request instanceof ListVolumesRequest asked && answer instanceof ListVolumesResponse told) {
      fewer(asked.getMaxEntries(), told.getEntriesList());
    } else if (request instanceof ListSnapshotsRequest asked
        && answer instanceof ListSnapshotsResponse told) {
      fewer(asked.getMaxEntries(), told.getEntriesList());
      only(
          "snapshot_id", asked.getSnapshotId(), told, entry -> entry.getSnapshot().getSnapshotId());
      only(
          "source_volume_id",
          asked.getSourceVolumeId(),
          told,
          entry -> entry.getSnapshot().getSourceVolumeId());
    }
  }

  private void only(
      String name,
      String asked,
      ListSnapshotsResponse told,
      Function<ListSnapshotsResponse.Entry, String> part) {
    if (!asked.isEmpty()) {
      int index = 0;
      for (ListSnapshotsResponse.Entry entry : told.getEntriesList()) {
        same("entries[" + index++ + "].snapshot." + name, asked, part.apply(entry));
      }
    }
  }

  private void fewer(int most, List<?> entries) {
    if (most > 0 && entries.size() > most) {
      broken("entries", "has " + entries.size() + " entries; max_entries was " + most);
    }
  }

  private void same(String field, String asked, String told) {
    if (!told.isEmpty() && !told.equals(asked)) {
      broken(field, "is " + SafeText.quote(told) + "; asked was " + SafeText.quote(asked));
    }
  }

  private void within(String path, CapacityRange asked, long bytes) {
    enough(path, asked, bytes);
    if (bytes > 0 && asked.getLimitBytes() > 0 && bytes > asked.getLimitBytes()) {
      broken(
          path + "capacity_bytes",
          "is " + bytes + ", more than limit_bytes, which was " + asked.getLimitBytes());
    }
  }

  private void enough(String path, CapacityRange asked, long bytes) {
    if (bytes > 0 && bytes < asked.getRequiredBytes()) {
      broken(
          path + "capacity_bytes",
          "is " + bytes + ", less than required_bytes, which was " + asked.getRequiredBytes());
    }
  }
}
