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

/**
 * A call, as far as it went.
 *
 * @param number from 1
 * @param operation what
 * @param node whose socket
 * @param request what was asked
 * @param authority by which name
 * @param began when
 * @param beside what was in flight
 * @param paths what stood where
 * @param ended when
 * @param end how
 * @param worked whether the work was done
 * @param volume which volume
 * @param metadata the metadata of the caller
 */
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

  /** Copies what can change. */
  public CallRecord {
    beside = List.copyOf(beside);
    paths = Map.copyOf(paths);
    metadata = Map.copyOf(metadata);
  }

  /** Returns the record, its work done. */
  CallRecord withWork() {
    return with(ended, end, true);
  }

  /** Returns the record, ended. */
  CallRecord withEnd(Instant at, CallEnd how) {
    return with(Optional.of(at), Optional.of(how), worked);
  }

  /** Returns the record with another end, and with its work done or not. */
  public CallRecord with(Optional<Instant> at, Optional<CallEnd> how, boolean done) {
    return new CallRecord(
        number, operation, node, request, authority, began, beside, paths, at, how, done, volume,
        metadata);
  }

  /** One line for a person, redacted. */
  @Override
  public String toString() {
    return JournalText.of(this);
  }
}
