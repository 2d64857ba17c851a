package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Rules for the start of a snapshot metadata stream: at 0, at the end of a range received before,
 * or at the start of a stream that ended without a message.
 */
final class StreamRules extends DutyRule {

  /** For each subject, the offsets that a caller may have reached when its stream ended. */
  private final Map<String, Set<Long>> reached = new HashMap<>();

  StreamRules(Hearing hearing) {
    super(hearing, "Metadata streams");
  }

  @Override
  void began(RecordedCall call) {
    if (isStream(call) && world.isComplete()) {
      long offset = call.request().number("starting_offset");
      Set<Long> there = reached.getOrDefault(WireFields.subject(call), Set.of());
      judge(offset == 0 || there.contains(offset), call, "starting_offset");
    }
  }

  @Override
  void ended(RecordedCall call) {
    if (!isStream(call)) {
      return;
    }
    Set<Long> there = reached.computeIfAbsent(WireFields.subject(call), key -> new HashSet<>());
    there.add(call.request().number("starting_offset"));
    // The journal does not show how far a caller read before it gave up: any range is possible.
    if (call.end().orElse(null) instanceof CallEnd.Answered answered) {
      answered.messages().stream()
          .flatMap(message -> message.messages("block_metadata").stream())
          .forEach(range -> there.add(range.number("byte_offset") + range.number("size_bytes")));
    }
  }

  private static boolean isStream(RecordedCall call) {
    return call.operation().service() == CsiOperation.Service.SNAPSHOT_METADATA;
  }
}
