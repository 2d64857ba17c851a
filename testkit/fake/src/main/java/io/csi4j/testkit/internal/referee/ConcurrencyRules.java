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
 * One call at a time for a volume, a snapshot, a name. Two that overlapped are held against their
 * caller only when the first ended with an answer: one that its caller gave up may be noticed late.
 */
final class ConcurrencyRules extends DutyRule {

  private final Map<String, List<RecordedCall>> open = new HashMap<>();
  private final Map<Long, List<RecordedCall>> overlapping = new LinkedHashMap<>();
  private final Map<Long, RecordedCall> first = new HashMap<>();

  ConcurrencyRules(Hearing hearing) {
    super(hearing, "One call at a time", 49, 50, 51, 54);
  }

  @Override
  void began(RecordedCall call) {
    String object = object(call);
    if (object.isEmpty()) {
      return;
    }
    List<RecordedCall> beside = open.computeIfAbsent(object, key -> new ArrayList<>());
    if (beside.isEmpty()) {
      kept(duties(call));
    }
    for (RecordedCall earlier : beside) {
      first.put(earlier.number(), earlier);
      overlapping.computeIfAbsent(earlier.number(), key -> new ArrayList<>()).add(call);
    }
    beside.add(call);
  }

  @Override
  void ended(RecordedCall call) {
    String object = object(call);
    List<RecordedCall> beside = open.get(object);
    if (beside != null) {
      beside.removeIf(one -> one.number() == call.number());
      if (beside.isEmpty()) {
        open.remove(object);
      }
    }
    CallEnd end = call.end().orElseThrow();
    boolean given = end instanceof CallEnd.Broken || end instanceof CallEnd.Abandoned;
    List<RecordedCall> later = overlapping.remove(call.number());
    if (later != null && !given) {
      later.forEach(one -> overlap(call, one));
    }
  }

  @Override
  void finished() {
    overlapping.forEach(
        (number, later) -> later.forEach(one -> overlap(first.getOrDefault(number, one), one)));
  }

  private void overlap(RecordedCall earlier, RecordedCall later) {
    broken(
        later,
        "came while call "
            + earlier.number()
            + " "
            + earlier.operation().rpcName()
            + " for the same object was in flight. Wait for its end, or give it up first.",
        List.of(earlier),
        duties(later));
  }

  private static int[] duties(RecordedCall call) {
    if (!WireFields.volume(call).isEmpty()) {
      return new int[] {49, 50};
    }
    return new int[] {WireFields.knows(call, "name") ? 51 : 54};
  }

  private static String object(RecordedCall call) {
    String volume = WireFields.volume(call);
    if (!volume.isEmpty()) {
      return "volume " + volume;
    }
    String name = WireFields.text(call, "name");
    if (!name.isEmpty()) {
      return call.operation() + " " + name;
    }
    String snapshot = WireFields.text(call, "snapshot_id");
    boolean one =
        call.operation() == CsiOperation.DELETE_SNAPSHOT
            || call.operation() == CsiOperation.GET_SNAPSHOT;
    return one && !snapshot.isEmpty() ? "snapshot " + snapshot : "";
  }
}
