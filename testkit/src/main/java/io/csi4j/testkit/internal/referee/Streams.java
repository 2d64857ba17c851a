package io.csi4j.testkit.internal.referee;

import io.csi4j.client.CsiOperation;
import io.csi4j.testkit.journal.RecordedCall;
import java.util.HashSet;
import java.util.Set;

/** Where the streams of snapshot metadata begin. */
final class Streams extends Rule {

  private final Set<String> interrupted = new HashSet<>();

  Streams(Hearing hearing) {
    super(hearing, "Metadata streams", 517, 518);
  }

  @Override
  void began(RecordedCall call) {
    int duty =
        switch (call.operation()) {
          case GET_METADATA_ALLOCATED -> 517;
          case GET_METADATA_DELTA -> 518;
          default -> 0;
        };
    if (duty == 0 || !world.isComplete()) {
      return;
    }
    long offset = call.request().number("starting_offset");
    judge(
        offset == 0 || (offset > 0 && interrupted.contains(Subject.of(call))),
        call,
        "from a starting_offset that continues no stream that broke off. Begin at 0.",
        duty);
  }

  @Override
  void ended(RecordedCall call) {
    if (!call.ok()
        && (call.operation() == CsiOperation.GET_METADATA_ALLOCATED
            || call.operation() == CsiOperation.GET_METADATA_DELTA)) {
      interrupted.add(Subject.of(call));
    }
  }
}
