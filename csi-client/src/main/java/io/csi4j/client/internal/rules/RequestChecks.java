package io.csi4j.client.internal.rules;

import static java.util.Map.entry;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.CsiOperation;
import io.csi4j.client.Violation;
import io.csi4j.client.Violation.Rule;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.internal.text.SpecFields;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the spec demands of a request whatever the plugin can do.
 *
 * <p>The rules walk over the fields as the contract describes them, so that a new field is held to
 * the general rules (Unicode, NUL, sizes, sign of numbers) without a line of code.
 */
public final class RequestChecks {

  /** The fields that must be set: not empty, or with one element at the least. */
  public static final Map<String, List<String>> REQUIRED =
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
          entry("NodeExpandVolumeRequest", List.of("volume_id", "volume_path")),
          entry("NodeGetCapabilitiesRequest", List.of()),
          entry("NodeGetInfoRequest", List.of()),
          entry("VolumeCapability", List.of("access_mode")),
          entry("SnapshotSource", List.of("snapshot_id")),
          entry("VolumeSource", List.of("volume_id")));

  /** The choices of which one must be made. */
  public static final Map<String, String> REQUIRED_CHOICE =
      Map.of("VolumeCapability", "access_type", "VolumeContentSource", "type");

  private static final int TEXT_LIMIT = 128;
  private static final int NODE_ID_LIMIT = 256;
  private static final int TOTAL_LIMIT = 4 << 10;
  private static final int HARD_LIMIT = 1 << 20;
  private static final int FLAGS_LIMIT = 10_000;

  /** More findings of one kind than this help nobody. */
  private static final int FINDINGS_LIMIT = 100;

  private static final Set<String> PATHS =
      Set.of("staging_target_path", "target_path", "volume_path");
  private static final Set<CsiOperation> NAMING =
      EnumSet.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.CREATE_SNAPSHOT,
          CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT);

  private static final Pattern SECRET_KEY = Pattern.compile("[A-Za-z0-9._-]+");
  private static final Pattern LABEL =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
  private static final Pattern PREFIX =
      Pattern.compile(
          "(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  private final CsiOperation operation;
  // What is sent is nearly always right, so lists are made when there is something to tell.
  private List<Violation> violations = List.of();
  private List<Violation> oversize = List.of();
  private List<Violation> remarks = List.of();

  private RequestChecks(CsiOperation operation) {
    this.operation = operation;
  }

  /**
   * What was found.
   *
   * @param violations what must not be sent
   * @param oversize what is beyond the sizes of the spec, and yet many plugins take it
   * @param remarks what the spec allows, and yet not every plugin has to take it
   */
  public record Result(
      List<Violation> violations, List<Violation> oversize, List<Violation> remarks) {}

  /** All that is wrong with {@code request}, a generated message of {@code operation}. */
  public static Result check(CsiOperation operation, Message request) {
    RequestChecks checks = new RequestChecks(operation);
    checks.message("", request);
    if (request instanceof GetMetadataDeltaRequest delta) {
      checks.delta(delta);
    }
    return new Result(
        List.copyOf(checks.violations), List.copyOf(checks.oversize), List.copyOf(checks.remarks));
  }

  /** Where a field is found is put together only when there is something to tell of it. */
  private void message(String path, Message message) {
    String type = message.getDescriptorForType().getName();
    List<String> required = REQUIRED.getOrDefault(type, List.of());
    List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
    // Without iterators: this happens on every call.
    for (int i = 0; i < fields.size(); i++) {
      FieldDescriptor field = fields.get(i);
      String name = SpecFields.name(field);
      if (required.contains(name) && isAbsent(message, field)) {
        refuse(at(path, name), Rule.REQUIRED, field.hasPresence() ? "is not set" : "is empty");
      } else if (field.isMapField()) {
        map(path, name, field, SpecFields.map(message, field));
      } else if (field.isRepeated()) {
        list(path, name, field, SpecFields.list(message, field), required.contains(name));
      } else if (!field.hasPresence() || message.hasField(field)) {
        value(path, name, field, message.getField(field));
      }
    }
    String choice = REQUIRED_CHOICE.get(type);
    if (choice != null) {
      choice(path, message, choice);
    }
    if (message instanceof CapacityRange range) {
      capacity(path, range);
    } else if (message instanceof TopologyRequirement requirement) {
      topologyRequirement(path, requirement);
    }
  }

  private static String at(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private void choice(String path, Message message, String name) {
    for (OneofDescriptor oneof : message.getDescriptorForType().getOneofs()) {
      if (oneof.getName().equals(name) && !message.hasOneof(oneof)) {
        String choices =
            oneof.getFields().stream().map(SpecFields::name).collect(Collectors.joining(", "));
        refuse(at(path, name), Rule.REQUIRED, "is none of " + choices);
      }
    }
  }

  private static boolean isAbsent(Message message, FieldDescriptor field) {
    if (field.isRepeated()) {
      return message.getRepeatedFieldCount(field) == 0;
    }
    return !message.hasField(field);
  }

  private void list(
      String path, String name, FieldDescriptor field, List<?> elements, boolean required) {
    if (field.getName().equals("mount_flags")) {
      flags(path, name, elements);
      return;
    }
    for (int i = 0; i < elements.size(); i++) {
      String element = name + "[" + i + "]";
      if (required && elements.get(i).equals("")) {
        refuse(at(path, element), Rule.REQUIRED, "is empty");
      } else {
        value(path, element, field, elements.get(i));
      }
    }
  }

  private void value(String path, String shown, FieldDescriptor field, Object value) {
    switch (field.getJavaType()) {
      case STRING -> text(path, shown, field.getName(), (String) value);
      case MESSAGE -> message(at(path, shown), (Message) value);
      case INT, LONG -> {
        if (((Number) value).longValue() < 0) {
          refuse(
              at(path, shown), Rule.OUT_OF_RANGE, "is " + value + ", CSI allows nothing below 0");
        }
      }
      case ENUM -> enumeration(path, shown, (EnumValueDescriptor) value);
      case BOOLEAN, FLOAT, DOUBLE, BYTE_STRING -> {}
    }
  }

  private void enumeration(String path, String shown, EnumValueDescriptor value) {
    if (value.getNumber() == 0) {
      refuse(at(path, shown), Rule.UNRECOGNIZED, "is not stated");
    } else if (value.getIndex() < 0) {
      refuse(
          at(path, shown),
          Rule.UNRECOGNIZED,
          "is " + value.getNumber() + ", which CSI 1.12 does not know");
    }
  }

  private void text(String path, String shown, String name, String text) {
    int bytes = text.length();
    if (!SafeText.isPlain(text)) {
      characters(at(path, shown), text);
      bytes = SafeText.utf8Length(text);
    }
    if (name.equals("name") && NAMING.contains(operation)) {
      banned(at(path, shown), text);
    }
    if (name.equals("fs_type")) {
      fsType(path, shown, text, bytes);
      return;
    }
    boolean isPath = PATHS.contains(name);
    if (isPath && !text.isEmpty() && text.charAt(0) != '/') {
      refuse(at(path, shown), Rule.NOT_ABSOLUTE, "does not begin with /");
    }
    int limit = name.equals("node_id") ? NODE_ID_LIMIT : TEXT_LIMIT;
    if (bytes > HARD_LIMIT) {
      refuse(
          at(path, shown),
          Rule.TOO_LARGE,
          tooLarge(bytes, "bytes, at most ", HARD_LIMIT, " are sent"));
    } else if (bytes > limit && isPath) {
      remarks =
          with(
              remarks,
              at(path, shown),
              Rule.TOO_LARGE,
              tooLarge(bytes, "bytes, plugins need not take more than ", limit, ""));
    } else if (bytes > limit) {
      oversize =
          with(
              oversize,
              at(path, shown),
              Rule.TOO_LARGE,
              tooLarge(bytes, "bytes, CSI allows ", limit, ""));
    }
  }

  private void characters(String at, String text) {
    int nul = text.indexOf('\0');
    if (nul >= 0) {
      refuse(at, Rule.NUL, "has a NUL at index " + nul);
    }
    int lone = SafeText.loneSurrogate(text);
    if (lone >= 0) {
      refuse(at, Rule.NOT_UNICODE, "is no valid Unicode at index " + lone);
    }
  }

  private void banned(String at, String text) {
    int index = indexOf(text, c -> Character.isISOControl(c) && "\0\t\n\r".indexOf(c) < 0);
    if (index >= 0) {
      refuse(
          at,
          Rule.CHARACTERS,
          String.format(
              "has U+%04X at index %d, which CSI bans from names",
              (int) text.charAt(index), index));
    }
  }

  private void fsType(String path, String shown, String text, int bytes) {
    // It ends in the command line of some mkfs or mount.
    int index = indexOf(text, c -> c != 0 && !isLetterOrDigit(c) && "._+-".indexOf(c) < 0);
    if (index >= 0) {
      refuse(
          at(path, shown),
          Rule.CHARACTERS,
          "has a character other than letters, digits and ._+- at index " + index);
    }
    if (bytes > TEXT_LIMIT) {
      refuse(
          at(path, shown), Rule.TOO_LARGE, tooLarge(bytes, "bytes, CSI allows ", TEXT_LIMIT, ""));
    }
  }

  private void flags(String path, String name, List<?> flags) {
    long bytes = 0;
    for (int i = 0; i < flags.size(); i++) {
      String flag = (String) flags.get(i);
      if (SafeText.isPlain(flag)) {
        bytes += flag.length();
      } else {
        characters(at(path, name) + "[" + i + "]", flag);
        bytes += SafeText.utf8Length(flag);
      }
    }
    if (flags.size() > FLAGS_LIMIT) {
      refuse(
          at(path, name),
          Rule.TOO_LARGE,
          tooLarge(flags.size(), "entries, at most ", FLAGS_LIMIT, " are sent"));
    }
    total(path, name, bytes, "bytes in all");
  }

  private void map(String path, String name, FieldDescriptor field, Map<String, String> entries) {
    if (entries.isEmpty()) {
      return;
    }
    boolean secret = SpecFields.isSecret(field);
    boolean topology = field.getContainingType().equals(Topology.getDescriptor());
    long[] bytes = {0};
    // Unlike its entries, an unmodifiable map can be walked without making objects.
    entries.forEach(
        (key, value) -> {
          boolean plain = SafeText.isPlain(key) && SafeText.isPlain(value);
          bytes[0] +=
              plain
                  ? key.length() + (long) value.length()
                  : SafeText.utf8Length(key) + (long) SafeText.utf8Length(value);
          if (!plain || topology || (secret && !SECRET_KEY.matcher(key).matches())) {
            oddEntry(at(path, name), key, value, secret, topology);
          }
        });
    total(path, name, bytes[0], "bytes in keys and values");
  }

  private void oddEntry(String at, String key, String value, boolean secret, boolean topology) {
    String element = at + "[\"" + SafeText.escape(key, TEXT_LIMIT).replace("\"", "\\\"") + "\"]";
    if (key.indexOf('\0') >= 0) {
      refuse(element, Rule.NUL, "has a NUL in its key at index " + key.indexOf('\0'));
    }
    if (SafeText.loneSurrogate(key) >= 0) {
      refuse(
          element,
          Rule.NOT_UNICODE,
          "has a key that is no valid Unicode at index " + SafeText.loneSurrogate(key));
    }
    characters(element, value);
    if (secret && !SECRET_KEY.matcher(key).matches()) {
      refuse(
          element,
          Rule.CHARACTERS,
          key.isEmpty()
              ? "has an empty key"
              : "has a key with something other than letters, digits and -_.");
    }
    if (topology) {
      label(element, key, value);
    }
  }

  private void total(String path, String name, long bytes, String what) {
    if (bytes > HARD_LIMIT) {
      refuse(
          at(path, name),
          Rule.TOO_LARGE,
          tooLarge(bytes, what + ", at most ", HARD_LIMIT, " are sent"));
    } else if (bytes > TOTAL_LIMIT) {
      oversize =
          with(
              oversize,
              at(path, name),
              Rule.TOO_LARGE,
              tooLarge(bytes, what + ", CSI allows ", TOTAL_LIMIT, ""));
    }
  }

  /** Labels come from the plugin, so a bad one is not the caller's fault. */
  private void label(String at, String key, String value) {
    int slash = key.indexOf('/');
    boolean prefixed = slash < 0 || isLabel(PREFIX, key.substring(0, slash));
    if (!prefixed || !isLabel(LABEL, key.substring(slash + 1))) {
      oversize = with(oversize, at, Rule.CHARACTERS, "has a key that is no topology key of CSI");
    }
    if (!isLabel(LABEL, value)) {
      oversize =
          with(oversize, at, Rule.CHARACTERS, "has a value that is no topology value of CSI");
    }
  }

  private static boolean isLabel(Pattern pattern, String text) {
    return text.length() <= 63 && pattern.matcher(text).matches();
  }

  private void capacity(String at, CapacityRange range) {
    long required = range.getRequiredBytes();
    long limit = range.getLimitBytes();
    if (required == 0 && limit == 0) {
      refuse(at, Rule.REQUIRED, "has neither required_bytes nor limit_bytes");
    } else if (limit > 0 && required > limit) {
      refuse(
          at, Rule.OUT_OF_RANGE, "has required_bytes " + required + " above limit_bytes " + limit);
    }
  }

  private void topologyRequirement(String at, TopologyRequirement requirement) {
    if (requirement.getRequisiteCount() + requirement.getPreferredCount() == 0) {
      refuse(at, Rule.REQUIRED, "has neither requisite nor preferred entries");
    }
    if (requirement.getRequisiteCount() == 0) {
      return;
    }
    Set<Map<String, String>> requisite = new HashSet<>();
    requirement.getRequisiteList().forEach(place -> requisite.add(folded(place)));
    for (int i = 0; i < requirement.getPreferredCount(); i++) {
      if (!requisite.contains(folded(requirement.getPreferred(i)))) {
        refuse(at + ".preferred[" + i + "]", Rule.MISMATCH, "is not among the requisite entries");
      }
    }
  }

  private static Map<String, String> folded(Topology place) {
    Map<String, String> folded = new TreeMap<>();
    place.getSegmentsMap().forEach((key, value) -> folded.put(key.toLowerCase(Locale.ROOT), value));
    return folded;
  }

  private void delta(GetMetadataDeltaRequest delta) {
    String target = delta.getTargetSnapshotId();
    if (!target.isEmpty() && target.equals(delta.getBaseSnapshotId())) {
      refuse("target_snapshot_id", Rule.MISMATCH, "is the same as base_snapshot_id");
    }
  }

  private static int indexOf(String text, IntPredicate wanted) {
    for (int i = 0; i < text.length(); i++) {
      if (wanted.test(text.charAt(i))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isLetterOrDigit(int c) {
    return c < 0x80 && Character.isLetterOrDigit(c);
  }

  private static String tooLarge(long actual, String what, int limit, String rest) {
    return "has " + actual + " " + what + limit + rest;
  }

  private void refuse(String at, Rule rule, String detail) {
    violations = with(violations, at, rule, detail);
  }

  private static List<Violation> with(
      List<Violation> findings, String at, Rule rule, String detail) {
    if (findings.size() == FINDINGS_LIMIT) {
      return findings;
    }
    List<Violation> more = findings.isEmpty() ? new ArrayList<>() : findings;
    more.add(new Violation(at, rule, detail));
    return more;
  }
}
