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

/** A call that goes on with an earlier one says the same as that; secrets may differ. */
final class RepeatRules extends DutyRule {

  private static final Set<CsiOperation> NAMED =
      Set.of(
          CsiOperation.CREATE_VOLUME,
          CsiOperation.CREATE_SNAPSHOT,
          CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT);
  private static final Set<CsiOperation> PLACED =
      Set.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME);

  /** The last call about each subject that went through, or may have. */
  private final Map<String, RecordedCall> before = new HashMap<>();

  /** The subject of the creation that an id came from. */
  private final Map<String, String> origins = new HashMap<>();

  RepeatRules(Hearing hearing) {
    super(hearing, "Repeats", 73, 171, 308, 383, 487, 488);
  }

  @Override
  void began(RecordedCall call) {
    undo(call);
    RecordedCall earlier = before.get(CallSubject.of(call));
    if (earlier == null) {
      return;
    }
    boolean same = same(call, earlier);
    boolean lost = CallOutcome.isLost(earlier) || CallOutcome.code(earlier) == StatusCode.ABORTED;
    if (lost) {
      judge(
          same,
          call,
          earlier,
          "repeats call " + earlier.number() + ", whose outcome is not known, with other fields.",
          73);
    }
    switch (call.operation()) {
      case CREATE_VOLUME -> named(call, earlier, same, 171);
      case CREATE_VOLUME_GROUP_SNAPSHOT -> {
        named(call, earlier, same, 487);
        pending(call, earlier, same, "group_snapshot", 488);
      }
      case CREATE_SNAPSHOT -> pending(call, earlier, same, "snapshot", 308);
      case NODE_STAGE_VOLUME ->
          judge(
              call.request()
                  .message("volume_capability")
                  .equals(earlier.request().message("volume_capability")),
              call,
              earlier,
              "repeats call " + earlier.number() + " with another volume capability.",
              383);
      default -> {}
    }
  }

  private void named(RecordedCall call, RecordedCall earlier, boolean same, int duty) {
    judge(
        same,
        call,
        earlier,
        "has the name of call " + earlier.number() + " and other arguments.",
        duty);
  }

  private void pending(
      RecordedCall call, RecordedCall earlier, boolean same, String told, int duty) {
    boolean unready =
        earlier
            .answer()
            .map(answer -> answer.message(told))
            .filter(snapshot -> !snapshot.flag("ready_to_use"))
            .isPresent();
    if (unready) {
      judge(
          same,
          call,
          earlier,
          "asks for the progress of call " + earlier.number() + " with other arguments.",
          duty);
    }
  }

  private void judge(boolean good, RecordedCall call, RecordedCall earlier, String why, int duty) {
    if (good) {
      kept(duty);
    } else {
      broken(
          call,
          why + " Send the identical request, or undo the first one before.",
          List.of(earlier),
          duty);
    }
  }

  @Override
  void ended(RecordedCall call) {
    CallOutcome outcome = CallOutcome.of(call);
    boolean unsettled =
        outcome == CallOutcome.UNCERTAIN || CallOutcome.code(call) == StatusCode.ABORTED;
    boolean creates = NAMED.contains(call.operation()) || PLACED.contains(call.operation());
    if (creates && (unsettled || outcome == CallOutcome.OK)) {
      before.put(CallSubject.of(call), call);
      call.answer().ifPresent(answer -> origin(call, answer));
    } else if (creates) {
      // A refusal settles what was lost before it.
      before.computeIfPresent(CallSubject.of(call), (key, one) -> one.ok() ? one : null);
    }
    if (outcome == CallOutcome.OK) {
      removed(call);
    }
  }

  private void origin(RecordedCall call, WireMessage answer) {
    switch (call.operation()) {
      case CREATE_VOLUME ->
          origins.put("volume " + answer.message("volume").text("volume_id"), CallSubject.of(call));
      case CREATE_SNAPSHOT ->
          origins.put(
              "snapshot " + answer.message("snapshot").text("snapshot_id"), CallSubject.of(call));
      case CREATE_VOLUME_GROUP_SNAPSHOT ->
          origins.put(
              "group " + answer.message("group_snapshot").text("group_snapshot_id"),
              CallSubject.of(call));
      default -> {}
    }
  }

  private void removed(RecordedCall call) {
    switch (call.operation()) {
      case DELETE_VOLUME -> forget("volume " + WireFields.volume(call));
      case DELETE_SNAPSHOT -> forget("snapshot " + WireFields.text(call, "snapshot_id"));
      case DELETE_VOLUME_GROUP_SNAPSHOT ->
          forget("group " + WireFields.text(call, "group_snapshot_id"));
      default -> {}
    }
  }

  private void forget(String id) {
    String origin = origins.remove(id);
    if (origin != null) {
      before.remove(origin);
    }
  }

  /** The opposite of a call ends what a repeat would go on with, in any case. */
  private void undo(RecordedCall call) {
    switch (call.operation()) {
      case CONTROLLER_UNPUBLISH_VOLUME -> drop(call, CsiOperation.CONTROLLER_PUBLISH_VOLUME);
      case NODE_UNSTAGE_VOLUME -> drop(call, CsiOperation.NODE_STAGE_VOLUME);
      case NODE_UNPUBLISH_VOLUME -> drop(call, CsiOperation.NODE_PUBLISH_VOLUME);
      default -> {}
    }
  }

  private void drop(RecordedCall call, CsiOperation operation) {
    String subject = CallSubject.of(call);
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
