package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Rules for the starting offset of a snapshot metadata stream. The offset must be 0, the end of a
 * range that the caller has received, or the starting offset of an earlier stream that ended
 * without a message.
 */
final class StreamRules extends DutyRule {

  /** For each subject, the offsets that the caller may have reached when its stream ended. */
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
    // The journal does not show how many messages a caller read before it cancelled the stream. The
    // caller may have stopped at the end of any range.
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
