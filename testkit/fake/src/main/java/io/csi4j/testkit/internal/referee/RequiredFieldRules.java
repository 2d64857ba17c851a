package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The fields that a request has to hold in any case. */
final class RequiredFieldRules extends DutyRule {

  private static final int ANY_FIELD = 62;
  private static final int ANY_LIST = 63;

  private record Required(String field, int duty) {}

  private static final Map<CsiOperation, List<Required>> REQUIRED =
      Map.ofEntries(
          needs(CsiOperation.CREATE_VOLUME, "name", 169, "volume_capabilities", 187),
          needs(CsiOperation.DELETE_VOLUME, "volume_id", 225),
          needs(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME,
              "volume_id",
              232,
              "node_id",
              233,
              "volume_capability",
              234),
          needs(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, "volume_id", 251),
          needs(
              CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
              "volume_id",
              260,
              "volume_capabilities",
              267),
          needs(CsiOperation.CONTROLLER_GET_VOLUME, "volume_id", 283),
          needs(CsiOperation.CONTROLLER_MODIFY_VOLUME, "volume_id", 289, "mutable_parameters", 290),
          needs(CsiOperation.CREATE_SNAPSHOT, "source_volume_id", 306, "name", 307),
          needs(CsiOperation.DELETE_SNAPSHOT, "snapshot_id", 329),
          needs(CsiOperation.GET_SNAPSHOT, "snapshot_id", 347),
          needs(CsiOperation.CONTROLLER_EXPAND_VOLUME, "volume_id", 352, "capacity_range", 353),
          needs(
              CsiOperation.NODE_STAGE_VOLUME,
              "volume_id",
              371,
              "staging_target_path",
              372,
              "volume_capability",
              383),
          needs(CsiOperation.NODE_UNSTAGE_VOLUME, "volume_id", 391, "staging_target_path", 393),
          needs(
              CsiOperation.NODE_PUBLISH_VOLUME,
              "volume_id",
              399,
              "target_path",
              400,
              "volume_capability",
              411),
          needs(CsiOperation.NODE_UNPUBLISH_VOLUME, "volume_id", 433, "target_path", 434),
          needs(CsiOperation.NODE_GET_VOLUME_STATS, "volume_id", 441, "volume_path", 442),
          needs(CsiOperation.NODE_EXPAND_VOLUME, "volume_id", 465, "volume_path", 466),
          needs(CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT, "name", 485, "source_volume_ids", 486),
          needs(
              CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
              "group_snapshot_id",
              500,
              "snapshot_ids",
              501),
          needs(
              CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
              "group_snapshot_id",
              508,
              "snapshot_ids",
              509),
          needs(CsiOperation.GET_METADATA_ALLOCATED, "snapshot_id", 525),
          needs(
              CsiOperation.GET_METADATA_DELTA, "base_snapshot_id", 526, "target_snapshot_id", 527));

  private static final Set<String> LISTS =
      Set.of("volume_capabilities", "mutable_parameters", "source_volume_ids", "snapshot_ids");

  RequiredFieldRules(Hearing hearing) {
    super(
        hearing,
        "Required fields",
        62,
        63,
        169,
        182,
        184,
        185,
        187,
        188,
        189,
        190,
        196,
        198,
        201,
        225,
        232,
        233,
        234,
        251,
        260,
        267,
        283,
        289,
        290,
        306,
        307,
        329,
        347,
        352,
        353,
        371,
        372,
        383,
        391,
        393,
        399,
        400,
        411,
        433,
        434,
        441,
        442,
        465,
        466,
        485,
        486,
        500,
        501,
        508,
        509,
        525,
        526,
        527);
  }

  /** Whether the request lacks a field that the spec marks as required. */
  static boolean isIncomplete(RecordedCall call) {
    return REQUIRED.getOrDefault(call.operation(), List.of()).stream()
            .anyMatch(required -> !call.request().has(required.field()))
        || WireFields.capabilities(call).stream().anyMatch(one -> !one.has("access_mode"));
  }

  @Override
  void began(RecordedCall call) {
    for (Required required : REQUIRED.getOrDefault(call.operation(), List.of())) {
      boolean there = call.request().has(required.field());
      String why = "without " + required.field() + ", which the spec requires. Set it.";
      judge(there, call, why, ANY_FIELD, required.duty());
      if (LISTS.contains(required.field())) {
        judge(there, call, why, ANY_LIST);
      }
    }
    WireFields.capabilities(call).forEach(capability -> capability(call, capability));
    if (WireFields.has(call, "capacity_range")) {
      range(call, call.request().message("capacity_range"));
    }
    if (WireFields.has(call, "volume_content_source")) {
      source(call, call.request().message("volume_content_source"));
    }
    if (WireFields.has(call, "accessibility_requirements")) {
      topology(call, call.request().message("accessibility_requirements"));
    }
  }

  private void capability(RecordedCall call, WireMessage capability) {
    judge(
        capability.has("block") || capability.has("mount"),
        call,
        "with a volume capability that is neither block nor mount. Set one of them.",
        188);
    boolean mode = capability.has("access_mode");
    judge(mode, call, "with a volume capability without access_mode. Set it.", 62, 189);
    if (mode) {
      judge(
          capability.message("access_mode").number("mode") != 0,
          call,
          "with the access mode UNKNOWN. Name the mode that is meant.",
          190);
    }
  }

  private void range(RecordedCall call, WireMessage range) {
    long required = range.number("required_bytes");
    long limit = range.number("limit_bytes");
    judge(
        required != 0 || limit != 0,
        call,
        "with a capacity range that states neither required_bytes nor limit_bytes. State one, or"
            + " leave the range out.",
        182);
    judge(required >= 0 && limit >= 0, call, "with a negative size. Sizes start at 0.", 184);
    judge(
        limit <= 0 || required <= limit,
        call,
        "with required_bytes above limit_bytes, which no volume can satisfy. Swap or raise them.",
        185);
  }

  private void source(RecordedCall call, WireMessage source) {
    boolean named =
        !source.message("snapshot").text("snapshot_id").isEmpty()
            || !source.message("volume").text("volume_id").isEmpty();
    judge(named, call, "with a content source that names nothing. Give the id of the source.", 201);
  }

  private void topology(RecordedCall call, WireMessage asked) {
    List<WireMessage> requisite = asked.messages("requisite");
    List<WireMessage> preferred = asked.messages("preferred");
    judge(
        !requisite.isEmpty() || !preferred.isEmpty(),
        call,
        "with empty accessibility requirements. State requisite or preferred, or leave them out.",
        196);
    if (!requisite.isEmpty() && !preferred.isEmpty()) {
      judge(
          requisite.containsAll(preferred),
          call,
          "with a preferred topology that is not among the requisite ones. List it there as well.",
          198);
    }
  }

  private static Map.Entry<CsiOperation, List<Required>> needs(
      CsiOperation operation, String field, int duty) {
    return Map.entry(operation, List.of(new Required(field, duty)));
  }

  private static Map.Entry<CsiOperation, List<Required>> needs(
      CsiOperation operation, String first, int firstDuty, String second, int secondDuty) {
    return Map.entry(
        operation, List.of(new Required(first, firstDuty), new Required(second, secondDuty)));
  }

  private static Map.Entry<CsiOperation, List<Required>> needs(
      CsiOperation operation,
      String first,
      int firstDuty,
      String second,
      int secondDuty,
      String third,
      int thirdDuty) {
    return Map.entry(
        operation,
        List.of(
            new Required(first, firstDuty),
            new Required(second, secondDuty),
            new Required(third, thirdDuty)));
  }
}
