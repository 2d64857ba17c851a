package io.csi4j.volume.internal.engine;

import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What is going on with one volume right now.
 *
 * @param operation which operation
 * @param usage for whom; nothing if it is about what nobody uses
 * @param step what is being done, as a phrase such as {@code waiting for NodeStageVolume}
 * @param since how long the operation has been going on
 * @param attempt how often its present call was made
 * @param answer what the plugin last said, if that was no good
 * @param again when it is tried again, if it waits for that
 * @param waiting whose operations wait for this one, in order
 */
public record Activity(
    VolumeEvent.Operation operation,
    Optional<UsageKey> usage,
    String step,
    Duration since,
    int attempt,
    Optional<String> answer,
    Optional<Duration> again,
    List<UsageKey> waiting) {

  /** Copies the list. */
  public Activity {
    waiting = List.copyOf(waiting);
  }
}
