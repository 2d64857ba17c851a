package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.UsageKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A view of a volume for others, while it is worked on.
 *
 * @param record the volume as it is
 * @param activity the operation that is being done
 * @param trouble the trouble that stands in the way
 * @param troubled since when it does, in nanoseconds, if that is known
 * @param dead the uses whose mounts are known to be dead
 */
record View(
    Optional<VolumeRecord> record,
    Optional<Activity> activity,
    Optional<OperatorMessage> trouble,
    OptionalLong troubled,
    Set<UsageKey> dead) {

  /** Nothing is known. */
  static final View NOTHING =
      new View(
          Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty(), Set.of());

  /** Copies the set. */
  View {
    dead = Set.copyOf(dead);
  }

  /**
   * The operation that is being done.
   *
   * @param operation the operation
   * @param doing its step, as a phrase for people
   * @param since when the operation began, in nanoseconds
   * @param tries how often its present call was made
   * @param answer the last answer of the plugin, if that was no success
   * @param pause how long it waits for its next try, if it does
   * @param waiting whose operations wait for this one, in order
   */
  record Activity(
      Operation operation,
      String doing,
      long since,
      int tries,
      Optional<String> answer,
      Optional<Duration> pause,
      List<UsageKey> waiting) {}
}
