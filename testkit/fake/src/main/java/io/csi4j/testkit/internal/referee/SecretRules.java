package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rules for the secrets in calls: calls that concern an object carry the secrets with which the
 * object was created. The rules compare secrets, but never show them.
 */
final class SecretRules extends DutyRule {

  private final Map<String, RecordedCall> makers = new HashMap<>();
  private long renewed;

  SecretRules(Hearing hearing) {
    super(hearing, "Secrets");
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case CONTROLLER_UNPUBLISH_VOLUME -> same(call, attachment(call));
      case CREATE_VOLUME_GROUP_SNAPSHOT -> same(call, "name " + WireFields.text(call, "name"));
      case DELETE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT -> same(call, group(call));
      default -> {}
    }
  }

  private void same(RecordedCall call, String key) {
    RecordedCall maker = makers.get(key);
    if (maker == null || maker.number() < renewed) {
      return;
    }
    boolean same = maker.request().map("secrets").equals(call.request().map("secrets"));
    String operation = maker.operation().rpcName();
    judge(same, List.of(maker), call, "secrets", maker.number(), operation);
  }

  @Override
  void ended(RecordedCall call) {
    StatusCode code = CallOutcome.code(call);
    if (code == StatusCode.UNAUTHENTICATED || code == StatusCode.PERMISSION_DENIED) {
      renewed = call.number();
    }
    if (CallOutcome.of(call) != CallOutcome.OK) {
      return;
    }
    switch (call.operation()) {
      case CONTROLLER_PUBLISH_VOLUME -> makers.put(attachment(call), call);
      case CONTROLLER_UNPUBLISH_VOLUME -> makers.remove(attachment(call));
      case CREATE_VOLUME_GROUP_SNAPSHOT -> {
        makers.put("name " + WireFields.text(call, "name"), call);
        call.answer()
            .map(answer -> answer.message("group_snapshot").text("group_snapshot_id"))
            .ifPresent(id -> makers.put("group " + id, call));
      }
      case DELETE_VOLUME_GROUP_SNAPSHOT -> {
        RecordedCall maker = makers.remove(group(call));
        if (maker != null) {
          makers.remove("name " + WireFields.text(maker, "name"));
        }
      }
      default -> {}
    }
  }

  private static String attachment(RecordedCall call) {
    return "attachment " + WireFields.volume(call) + "\n" + WireFields.text(call, "node_id");
  }

  private static String group(RecordedCall call) {
    return "group " + WireFields.text(call, "group_snapshot_id");
  }
}
