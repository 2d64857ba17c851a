package io.csi4j.testkit.journal;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.VolumeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One call that a test plugin got, as far as it went when it was looked at.
 *
 * @since 1.0
 */
public interface RecordedCall {

  /** Its number in the journal, from 1. */
  long number();

  /** Returns the operation. */
  CsiOperation operation();

  /** The node whose socket it came on; nothing on a socket that serves no node. */
  Optional<NodeId> node();

  /** Returns the request. */
  WireMessage request();

  /** The {@code :authority} that the caller gave. */
  String authority();

  /**
   * Returns the gRPC metadata that the caller sent with the request, without gRPC's own; of a name
   * that was sent several times, the values are separated by commas. Not in a recording, nor in
   * {@code toString}: the caller may have put credentials there.
   */
  default Map<String, String> metadata() {
    return Map.of();
  }

  /** When it came in. */
  Instant began();

  /** The calls that were in flight when it came in, by number. */
  List<Long> beside();

  /**
   * Returns what stood at the paths it names, by field: {@code target_path}, {@code
   * staging_target_path}, {@code volume_path}.
   */
  Map<String, PathFact> paths();

  /** When it ended. */
  Optional<Instant> ended();

  /** How it ended; nothing while it is in flight. */
  Optional<CallEnd> end();

  /** Whether the plugin did its work; it may have, however the call ended. */
  boolean worked();

  /** The volume that it is about, if its request names a usable one. */
  Optional<VolumeId> volume();

  /** Whether it ended with OK. */
  default boolean ok() {
    return end().filter(CallEnd::ok).isPresent();
  }

  /** The first message of the answer, if it ended with OK. */
  default Optional<WireMessage> answer() {
    return end()
        .filter(CallEnd.Answered.class::isInstance)
        .flatMap(end -> ((CallEnd.Answered) end).messages().stream().findFirst());
  }
}
