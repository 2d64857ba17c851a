package io.csi4j.testkit.internal.referee;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiService;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Where the streams of snapshot metadata begin: at 0, where a range ended that came before, or
 * where a stream began that ended without a message.
 */
final class StreamRules extends DutyRule {

  /** By subject: where a caller can have been when its stream ended. */
  private final Map<String, Set<Long>> reached = new HashMap<>();

  StreamRules(Hearing hearing) {
    super(hearing, "Metadata streams", 517, 518);
  }

  @Override
  void began(RecordedCall call) {
    if (!isStream(call) || !world.isComplete()) {
      return;
    }
    long offset = call.request().number("starting_offset");
    judge(
        offset == 0 || reached.getOrDefault(CallSubject.of(call), Set.of()).contains(offset),
        call,
        "from a starting_offset at which no range of an earlier stream ended. Begin at 0, or go on"
            + " at byte_offset + size_bytes of the last range that came.",
        call.operation() == CsiOperation.GET_METADATA_ALLOCATED ? 517 : 518);
  }

  @Override
  void ended(RecordedCall call) {
    if (!isStream(call)) {
      return;
    }
    Set<Long> there = reached.computeIfAbsent(CallSubject.of(call), key -> new HashSet<>());
    there.add(call.request().number("starting_offset"));
    // How far its caller read before it gave up does not show: it can be any range.
    if (call.end().orElse(null) instanceof CallEnd.Answered answered) {
      answered.messages().stream()
          .flatMap(message -> message.messages("block_metadata").stream())
          .forEach(range -> there.add(range.number("byte_offset") + range.number("size_bytes")));
    }
  }

  private static boolean isStream(RecordedCall call) {
    return call.operation().service() == CsiService.SNAPSHOT_METADATA;
  }
}
