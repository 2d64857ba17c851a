package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The secrets that made something go with it to its end. Only compared, never told. */
final class SecretRules extends DutyRule {

  private final Map<String, RecordedCall> makers = new HashMap<>();
  private long renewed;

  SecretRules(Hearing hearing) {
    super(hearing, "Secrets", 96, 97, 98, 99);
  }

  @Override
  void began(RecordedCall call) {
    switch (call.operation()) {
      case CONTROLLER_UNPUBLISH_VOLUME -> same(call, attachment(call), 96);
      case CREATE_VOLUME_GROUP_SNAPSHOT -> same(call, "name " + WireFields.text(call, "name"), 97);
      case DELETE_VOLUME_GROUP_SNAPSHOT -> same(call, group(call), 98);
      case GET_VOLUME_GROUP_SNAPSHOT -> same(call, group(call), 99);
      default -> {}
    }
  }

  private void same(RecordedCall call, String key, int duty) {
    RecordedCall maker = makers.get(key);
    if (maker == null || maker.number() < renewed) {
      return;
    }
    if (maker.request().map("secrets").equals(call.request().map("secrets"))) {
      kept(duty);
    } else {
      broken(
          call,
          "with other secrets than call "
              + maker.number()
              + " "
              + maker.operation().rpcName()
              + ". Send the same.",
          List.of(maker),
          duty);
    }
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
      case CREATE_VOLUME_GROUP_SNAPSHOT -> created(call);
      case DELETE_VOLUME_GROUP_SNAPSHOT -> deleted(call);
      default -> {}
    }
  }

  private void created(RecordedCall call) {
    makers.put("name " + WireFields.text(call, "name"), call);
    call.answer()
        .ifPresent(
            answer ->
                makers.put(
                    "group " + answer.message("group_snapshot").text("group_snapshot_id"), call));
  }

  private void deleted(RecordedCall call) {
    RecordedCall maker = makers.remove(group(call));
    if (maker != null) {
      makers.remove("name " + WireFields.text(maker, "name"));
    }
  }

  private static String attachment(RecordedCall call) {
    return CsiOperation.CONTROLLER_PUBLISH_VOLUME
        + " "
        + WireFields.volume(call)
        + "\n"
        + WireFields.text(call, "node_id");
  }

  private static String group(RecordedCall call) {
    return "group " + WireFields.text(call, "group_snapshot_id");
  }
}
