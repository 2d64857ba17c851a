package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorMessage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * All that is known of an instance that was started and has not become ready in time. It is asked
 * further; whether it is started again is for the host to decide.
 *
 * @param plugin the instance
 * @param waited how long it was waited for
 * @param history how it was since its start, the newest last
 * @param message what an operator is told
 * @since 1.0
 */
public record StartTimeout(
    SupervisedPlugin plugin, Duration waited, List<PluginHealth> history, OperatorMessage message) {

  /** Copies the list. */
  public StartTimeout {
    Objects.requireNonNull(plugin, "plugin");
    Objects.requireNonNull(waited, "waited");
    Objects.requireNonNull(message, "message");
    history = List.copyOf(history);
  }
}
