package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.journal.JournalEvent;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rules for repeated calls: a call that continues an earlier call has the same arguments. Only its
 * secrets may differ.
 */
final class RepeatRules extends DutyRule {

  private static final Set<CsiOperation> MAKERS =
      Set.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.CREATE_SNAPSHOT,
          CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);

  /** For each subject, the last call that succeeded or may have succeeded. */
  private final Map<String, RecordedCall> before = new HashMap<>();

  /** For each id, the subject of the call that created the object. */
  private final Map<String, String> origins = new HashMap<>();

  RepeatRules(Hearing hearing) {
    super(hearing, "Repeats");
  }

  @Override
  void began(RecordedCall call) {
    undo(call);
    RecordedCall earlier = before.get(WireFields.subject(call));
    if (earlier == null) {
      return;
    }
    boolean same = same(call, earlier);
    if (CallOutcome.isLost(earlier) || CallOutcome.code(earlier) == StatusCode.ABORTED) {
      judge(call, earlier, same, "lost");
    }
    switch (call.operation()) {
      case CREATE_VOLUME -> judge(call, earlier, same, "named");
      case CREATE_VOLUME_GROUP_SNAPSHOT -> {
        judge(call, earlier, same, "named");
        pending(call, earlier, same, "group_snapshot");
      }
      case CREATE_SNAPSHOT -> pending(call, earlier, same, "snapshot");
      case NODE_STAGE_VOLUME -> {
        WireMessage capability = earlier.request().message("volume_capability");
        boolean alike = capability.equals(call.request().message("volume_capability"));
        judge(call, earlier, alike, "capability");
      }
      default -> {}
    }
  }

  private void pending(RecordedCall call, RecordedCall earlier, boolean same, String told) {
    boolean unready =
        earlier
            .answer()
            .map(answer -> answer.message(told))
            .filter(snapshot -> !snapshot.flag("ready_to_use"))
            .isPresent();
    if (unready) {
      judge(call, earlier, same, "pending");
    }
  }

  private void judge(RecordedCall call, RecordedCall earlier, boolean good, String about) {
    judge(good, List.of(earlier), call, about, earlier.number());
  }

  @Override
  void ended(RecordedCall call) {
    CallOutcome outcome = CallOutcome.of(call);
    boolean unsettled =
        outcome == CallOutcome.UNCERTAIN || CallOutcome.code(call) == StatusCode.ABORTED;
    String subject = WireFields.subject(call);
    boolean makes = MAKERS.contains(call.operation());
    if (makes && (unsettled || outcome == CallOutcome.OK)) {
      before.put(subject, call);
      call.answer().ifPresent(answer -> origin(call, answer, subject));
    } else if (makes) {
      // A refusal settles the outcome of the earlier call, if that outcome was uncertain.
      before.computeIfPresent(subject, (key, one) -> one.ok() ? one : null);
    }
    if (outcome == CallOutcome.OK) {
      removed(call);
    }
  }

  private void origin(RecordedCall call, WireMessage answer, String subject) {
    switch (call.operation()) {
      case CREATE_VOLUME ->
          origins.put("volume " + answer.message("volume").text("volume_id"), subject);
      case CREATE_SNAPSHOT ->
          origins.put("snapshot " + answer.message("snapshot").text("snapshot_id"), subject);
      case CREATE_VOLUME_GROUP_SNAPSHOT ->
          origins.put(
              "group " + answer.message("group_snapshot").text("group_snapshot_id"), subject);
      default -> {}
    }
  }

  private void removed(RecordedCall call) {
    String origin =
        switch (call.operation()) {
          case DELETE_VOLUME -> origins.remove("volume " + WireFields.volume(call));
          case DELETE_SNAPSHOT ->
              origins.remove("snapshot " + WireFields.text(call, "snapshot_id"));
          case DELETE_VOLUME_GROUP_SNAPSHOT ->
              origins.remove("group " + WireFields.text(call, "group_snapshot_id"));
          default -> null;
        };
    if (origin != null) {
      before.remove(origin);
    }
  }

  /**
   * Ends the series of repeats if this call is the opposite of the repeated call. The outcome does
   * not matter.
   */
  private void undo(RecordedCall call) {
    switch (call.operation()) {
      case CONTROLLER_UNPUBLISH_VOLUME -> drop(call, CsiOperation.CONTROLLER_PUBLISH_VOLUME);
      case NODE_UNSTAGE_VOLUME -> drop(call, CsiOperation.NODE_STAGE_VOLUME);
      case NODE_UNPUBLISH_VOLUME -> drop(call, CsiOperation.NODE_PUBLISH_VOLUME);
      default -> {}
    }
  }

  private void drop(RecordedCall call, CsiOperation operation) {
    String subject = WireFields.subject(call);
    before.remove(operation.name() + subject.substring(call.operation().name().length()));
    if (WireFields.knows(call, "node_id") && WireFields.text(call, "node_id").isEmpty()) {
      before
          .values()
          .removeIf(
              one ->
                  one.operation() == operation
                      && WireFields.volume(one).equals(WireFields.volume(call)));
    }
  }

  @Override
  void happened(JournalEvent event) {
    if (event instanceof JournalEvent.Forgot) {
      before.clear();
    }
  }

  private static boolean same(RecordedCall call, RecordedCall earlier) {
    WireMessage now = call.request().withoutSecrets();
    WireMessage then = earlier.request().withoutSecrets();
    if (call.operation() != CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT) {
      return now.equals(then);
    }
    return new HashSet<>(now.texts("source_volume_ids"))
            .equals(new HashSet<>(then.texts("source_volume_ids")))
        && now.map("parameters").equals(then.map("parameters"));
  }
}
