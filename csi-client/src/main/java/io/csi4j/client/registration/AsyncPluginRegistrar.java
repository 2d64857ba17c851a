package io.csi4j.client.registration;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A registrar that this process is connected to. Without blocking.
 *
 * <p>A stage fails with the {@link RegistrarException} that the blocking call would throw.
 * Cancelling it, as {@code stage.toCompletableFuture().cancel(true)}, cancels the call. Actions
 * that hang on a stage run on the callback threads of the connection, never on its I/O thread.
 */
public interface AsyncPluginRegistrar {

  /** What it announces. */
  CompletionStage<PluginAnnouncement> info();

  /** Tells it what has become of its announcement. */
  CompletionStage<@Nullable Void> tell(RegistrationOutcome outcome);
}
