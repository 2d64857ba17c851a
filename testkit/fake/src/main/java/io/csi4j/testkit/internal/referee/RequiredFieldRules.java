package io.csi4j.testkit.internal.referee;

import io.csi4j.testkit.internal.spec.CallNeeds;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Rules for the fields that a request must always have. */
final class RequiredFieldRules extends DutyRule {

  RequiredFieldRules(Hearing hearing) {
    super(hearing, "Required fields");
  }

  /** Returns whether the request lacks a field that the spec marks as required. */
  static boolean isIncomplete(RecordedCall call) {
    return CallNeeds.of(call.operation()).fields().stream()
            .anyMatch(field -> !call.request().has(field))
        || WireFields.capabilities(call).stream().anyMatch(one -> !one.has("access_mode"));
  }

  @Override
  void began(RecordedCall call) {
    for (String field : CallNeeds.of(call.operation()).fields()) {
      judge(call.request().has(field), call, field);
    }
    WireFields.capabilities(call).forEach(capability -> capability(call, capability));
    if (WireFields.has(call, "capacity_range")) {
      range(call, call.request().message("capacity_range"));
    }
    if (WireFields.has(call, "volume_content_source")) {
      WireMessage source = call.request().message("volume_content_source");
      boolean named =
          !source.message("snapshot").text("snapshot_id").isEmpty()
              || !source.message("volume").text("volume_id").isEmpty();
      judge(named, call, "content source");
    }
    if (WireFields.has(call, "accessibility_requirements")) {
      topology(call, call.request().message("accessibility_requirements"));
    }
  }

  private void capability(RecordedCall call, WireMessage capability) {
    judge(capability.has("block") || capability.has("mount"), call, "access type");
    boolean mode = capability.has("access_mode");
    judge(mode, call, "access mode");
    if (mode) {
      boolean named = capability.message("access_mode").number("mode") != 0;
      judge(named, call, "access mode UNKNOWN");
    }
  }

  private void range(RecordedCall call, WireMessage range) {
    long required = range.number("required_bytes");
    long limit = range.number("limit_bytes");
    judge(required != 0 || limit != 0, call, "empty range");
    judge(required >= 0 && limit >= 0, call, "negative size");
    judge(limit <= 0 || required <= limit, call, "limit");
  }

  private void topology(RecordedCall call, WireMessage asked) {
    List<WireMessage> requisite = asked.messages("requisite");
    List<WireMessage> preferred = asked.messages("preferred");
    judge(!requisite.isEmpty() || !preferred.isEmpty(), call, "empty topology");
    if (!requisite.isEmpty() && !preferred.isEmpty()) {
      judge(places(requisite).containsAll(places(preferred)), call, "preferred topology");
    }
  }

  private static Set<Set<String>> places(List<WireMessage> topologies) {
    return topologies.stream().map(WireFields::pairs).collect(Collectors.toSet());
  }
}
