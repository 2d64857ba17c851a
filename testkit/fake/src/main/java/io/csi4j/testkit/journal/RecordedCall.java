package io.csi4j.testkit.journal;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One call that a test plugin received, with its progress at the time of the snapshot.
 *
 * @since 1.0
 */
public interface RecordedCall {

  /** Returns the number of the call in the journal, counted from 1. */
  long number();

  /** Returns the operation. */
  CsiOperation operation();

  /** Returns the node on whose socket the call arrived; empty for a socket that serves no node. */
  Optional<NodeId> node();

  /** Returns the request. */
  WireMessage request();

  /** Returns the {@code :authority} that the caller sent. */
  String authority();

  /**
   * Returns the gRPC metadata that the caller sent with the request, without the headers of gRPC
   * itself. Several values of one name are joined with commas. Recordings and {@code toString} omit
   * the metadata, because it may contain credentials of the caller.
   */
  default Map<String, String> metadata() {
    return Map.of();
  }

  /** Returns the time at which the call arrived. */
  Instant began();

  /** Returns the numbers of the calls that were in flight when the call arrived. */
  List<Long> beside();

  /**
   * Returns the kind of file at each path in the request. The keys are the names of the fields:
   * {@code target_path}, {@code staging_target_path}, {@code volume_path}.
   */
  Map<String, PathFact> paths();

  /** Returns the time at which the call ended. */
  Optional<Instant> ended();

  /** Returns how the call ended; empty while the call is in flight. */
  Optional<CallEnd> end();

  /** Returns whether the plugin has done the work, regardless of how the call ended. */
  boolean worked();

  /** Returns the volume that the call concerns, if the request contains a valid volume id. */
  Optional<VolumeId> volume();

  /** Returns whether the call ended with OK. */
  default boolean ok() {
    return end().filter(CallEnd::ok).isPresent();
  }

  /** Returns the first message of the answer, if the call ended with OK. */
  default Optional<WireMessage> answer() {
    return end()
        .filter(CallEnd.Answered.class::isInstance)
        .flatMap(end -> ((CallEnd.Answered) end).messages().stream().findFirst());
  }
}
