package io.csi4j.volume.plugin.launch;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.plugin.InstanceId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Something that happened to the process of a plugin.
 *
 * @since 1.0
 */
public sealed interface LaunchEvent {

  /**
   * The plugin was started.
   *
   * @param instance the name of this one run of the plugin
   * @param process its number
   */
  record Started(InstanceId instance, long process) implements LaunchEvent {}

  /**
   * The process has ended.
   *
   * @param instance the run of the plugin that has ended
   * @param status its exit status; 128 and more is the number of the signal that ended it
   * @param lived how long it ran
   * @param lastWords the last lines that it wrote, escaped
   * @param pause after what time it is started again; nothing if it was stopped
   * @param message what an operator is told, if it ended with an error soon after its start
   */
  record Ended(
      InstanceId instance,
      int status,
      Duration lived,
      List<String> lastWords,
      Optional<Duration> pause,
      Optional<OperatorMessage> message)
      implements LaunchEvent {

    /** Copies the list. */
    public Ended {
      lastWords = List.copyOf(lastWords);
    }
  }

  /**
   * The plugin could not be started.
   *
   * @param message the reason
   * @param pause after what time it is tried again
   */
  record NotStarted(OperatorMessage message, Duration pause) implements LaunchEvent {}
}
