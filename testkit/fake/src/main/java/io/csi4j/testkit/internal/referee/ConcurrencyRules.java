package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rules for concurrency: a caller makes only one call at a time for a volume, a snapshot or a name.
 * Two overlapping calls are a breach only if the first call ended with an answer. Otherwise the
 * caller may have cancelled the first call, and the plugin may have noticed this late.
 */
final class ConcurrencyRules extends DutyRule {

  private final Map<String, List<RecordedCall>> open = new HashMap<>();

  /** For each call in flight, the calls that overlap it. The first element is the call itself. */
  private final Map<Long, List<RecordedCall>> overlapping = new LinkedHashMap<>();

  ConcurrencyRules(Hearing hearing) {
    super(hearing, "One call at a time");
  }

  @Override
  void began(RecordedCall call) {
    String kind = kind(call);
    if (kind.isEmpty()) {
      return;
    }
    List<RecordedCall> beside = open.computeIfAbsent(object(call), key -> new ArrayList<>());
    if (beside.isEmpty()) {
      kept(call, kind);
    }
    for (RecordedCall earlier : beside) {
      overlapping
          .computeIfAbsent(earlier.number(), key -> new ArrayList<>(List.of(earlier)))
          .add(call);
    }
    beside.add(call);
  }

  @Override
  void ended(RecordedCall call) {
    open.computeIfPresent(
        object(call),
        (object, beside) -> {
          beside.removeIf(one -> one.number() == call.number());
          return beside.isEmpty() ? null : beside;
        });
    CallEnd end = call.end().orElseThrow();
    boolean given = end instanceof CallEnd.Broken || end instanceof CallEnd.Abandoned;
    List<RecordedCall> calls = overlapping.remove(call.number());
    if (calls != null && !given) {
      calls.subList(1, calls.size()).forEach(later -> overlap(call, later));
    }
  }

  @Override
  void finished() {
    overlapping
        .values()
        .forEach(
            calls -> calls.subList(1, calls.size()).forEach(later -> overlap(calls.get(0), later)));
  }

  private void overlap(RecordedCall earlier, RecordedCall later) {
    String operation = earlier.operation().rpcName();
    judge(false, List.of(earlier), later, kind(later), earlier.number(), operation);
  }

  /**
   * Returns the kind of object for which this call must be the only one in flight; {@code ""} if
   * there is no such object.
   */
  private static String kind(RecordedCall call) {
    if (readsHealth(call)) {
      return "";
    }
    if (!WireFields.volume(call).isEmpty()) {
      return "volume";
    }
    if (!WireFields.text(call, "name").isEmpty()) {
      return "name";
    }
    boolean one =
        call.operation() == CsiOperation.DELETE_SNAPSHOT
            || call.operation() == CsiOperation.GET_SNAPSHOT;
    return one && !WireFields.text(call, "snapshot_id").isEmpty() ? "snapshot" : "";
  }

  /**
   * Returns whether the call only reads health. Monitors may read health concurrently with all
   * other calls.
   */
  private static boolean readsHealth(RecordedCall call) {
    return call.operation() == CsiOperation.CONTROLLER_GET_VOLUME_HEALTH
        || call.operation() == CsiOperation.NODE_GET_VOLUME_HEALTH;
  }

  private static String object(RecordedCall call) {
    return switch (kind(call)) {
      case "volume" -> "volume " + WireFields.volume(call);
      case "name" -> call.operation() + " " + WireFields.text(call, "name");
      default -> "snapshot " + WireFields.text(call, "snapshot_id");
    };
  }
}
