package io.csi4j.testkit.internal.journal;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.journal.PathFact;
import io.csi4j.testkit.journal.RecordedCall;
import io.csi4j.testkit.journal.WireMessage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An immutable record of a call and its progress so far. */
public record CallRecord(
    long number,
    CsiOperation operation,
    Optional<NodeId> node,
    WireMessage request,
    String authority,
    Instant began,
    List<Long> beside,
    Map<String, PathFact> paths,
    Optional<Instant> ended,
    Optional<CallEnd> end,
    boolean worked,
    Optional<VolumeId> volume,
    Map<String, String> metadata)
    implements RecordedCall {

  public CallRecord {
    beside = List.copyOf(beside);
    paths = Map.copyOf(paths);
    metadata = Map.copyOf(metadata);
  }

  CallRecord withWork() {
    return with(ended, end, true);
  }

  CallRecord withEnd(Instant at, CallEnd how) {
    return with(Optional.of(at), Optional.of(how), worked);
  }

  public CallRecord with(Optional<Instant> at, Optional<CallEnd> how, boolean done) {
    return new CallRecord(
        number, operation, node, request, authority, began, beside, paths, at, how, done, volume,
        metadata);
  }

  /** Returns the call as one line of text, redacted. */
  @Override
  public String toString() {
    return JournalText.of(this);
  }
}
